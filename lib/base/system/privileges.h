/* SPDX-License-Identifier: BSD-3-Clause */
/* privileges.h - drop capabilities(7), and give up root for the owner of an archive */
#pragma once

#include <sys/types.h>
#include "base/buf.h"

/* Sets of capabilities, as bits. */
#define PRIVILEGE(number)  ((uint64_t)1 << (number))
#define PRIVILEGE_CHOWN    PRIVILEGE(0)
#define PRIVILEGE_OVERRIDE PRIVILEGE(1)		/* CAP_DAC_OVERRIDE */
#define PRIVILEGE_SEARCH   PRIVILEGE(2)		/* CAP_DAC_READ_SEARCH */
#define PRIVILEGE_FOWNER   PRIVILEGE(3)
/* CAP_FSETID: files keep set-user-ID bits when written */
#define PRIVILEGE_FSETID   PRIVILEGE(4)
#define PRIVILEGE_SETGID   PRIVILEGE(6)
#define PRIVILEGE_SETUID   PRIVILEGE(7)
#define PRIVILEGE_PTRACE   PRIVILEGE(19)	/* CAP_SYS_PTRACE */
#define PRIVILEGE_ADMIN    PRIVILEGE(21)	/* CAP_SYS_ADMIN */
#define PRIVILEGE_RESOURCE PRIVILEGE(24)	/* CAP_SYS_RESOURCE: exempt from quotas */
#define PRIVILEGE_PERFMON  PRIVILEGE(38)	/* CAP_PERFMON, since Linux 5.8 */
#define PRIVILEGE_BPF      PRIVILEGE(39)	/* CAP_BPF, since Linux 5.8 */
/* Capabilities that root needs to write another user's archive. */
#define PRIVILEGES_OF_OWNER (PRIVILEGE_CHOWN | PRIVILEGE_OVERRIDE | PRIVILEGE_FOWNER)

/*
 * Capabilities that collectors may need. Hooks keep all of them, because they do not know which
 * collectors are used.
 */
#define PRIVILEGES_OF_TYPES (PRIVILEGE_SEARCH | PRIVILEGE_PERFMON)

/* Capabilities with which root accesses any file, with CAP_MKNOD, CAP_LEASE and CAP_SETFCAP. */
#define PRIVILEGES_OF_FILES (PRIVILEGES_OF_OWNER | PRIVILEGE_SEARCH | PRIVILEGE_FSETID | \
			     PRIVILEGE(27) | PRIVILEGE(28) | PRIVILEGE(31))

/* Return the effective capabilities, or 0 if unknown. */
uint64_t privileges_left(void);

/*
 * Drop all capabilities outside `kept` for good, in this thread and in threads and programs that it
 * starts. The capabilities in `kept` that are permitted become effective. Returns 0 or -errno.
 */
int privileges_keep(uint64_t kept) MUST_CHECK;

/*
 * Set the effective capabilities of this thread to those of `set` that are permitted; the others
 * are ignored. Returns 0 or -errno.
 */
int privileges_use(uint64_t set) MUST_CHECK;

/*
 * Make the capabilities in `more` that are permitted effective in this thread, unless its effective
 * set is empty. Returns the previous effective set for privileges_lower(), or 0 if nothing changed.
 */
uint64_t privileges_raise(uint64_t more);
/*
 * Restore `before`, the effective set that privileges_raise() returned. If this fails, ends the
 * program, as privileges_rest() does.
 */
void privileges_lower(uint64_t before);

/*
 * Return the set of capabilities, adapted to this system: CAP_SYS_ADMIN is added to CAP_PERFMON if
 * CAP_PERFMON is not enough, which is so before Linux 5.8, and if Debian's perf_event_paranoid is
 * above 2.
 */
uint64_t privileges_here(uint64_t set);

/* Append the names of capabilities, separated by commas ("cap_perfmon"), or "none". */
void privileges_put(struct buf *b, uint64_t set);

/* A user and a primary group, for a process without other groups. */
struct identity {
	uid_t uid;
	gid_t gid;
};

/* Return the user that root becomes for unprivileged work: nodometer of /etc/passwd, or nobody. */
struct identity privileges_nobody(void);

/*
 * As root: become this user without supplementary groups, keep the capabilities in `kept` effective
 * and drop all others. As any other user, or if *who is root: only drop capabilities outside
 * `kept`. Returns 0 or -errno.
 */
int privileges_become(const struct identity *who, uint64_t kept) MUST_CHECK;

/*
 * As root: become the owner of a directory, or the user of privileges_nobody() if root owns the
 * directory or dir is "". The capabilities in `kept` are effective only between privileges_use()
 * and privileges_rest(); all others are dropped. Returns 0 or -errno. If root cannot become another
 * user, as in a container with a single user, this returns -errno, but the capabilities are dropped
 * nevertheless.
 */
int privileges_leave_root(const char *dir, uint64_t kept) MUST_CHECK;

/*
 * As root in a hook, which also writes archives: become the owner of a directory, and keep the
 * capabilities in `kept` effective. If root owns the directory or it is missing, stay root and also
 * keep PRIVILEGES_OF_OWNER. Sets no_new_privs (one system call, instead of one per capability of
 * the bounding set), so that programs gain no capabilities. Returns 0 or -errno.
 */
int privileges_of_writer(const char *dir, uint64_t kept) MUST_CHECK;

/*
 * Let a program that this process executes keep all permitted capabilities, although the user is
 * not root. Does nothing before Linux 4.3.
 */
void privileges_pass_on(void);

/*
 * Empty the effective set of this thread until the next privileges_use(). If this fails, prints a
 * message and ends the program with status 1.
 */
void privileges_rest(void);

/*
 * As root: take the user and group that own a directory, keep the capabilities in `kept` and drop
 * all others. If root owns the directory or it is missing, stay root. Does nothing for other users.
 * Returns 0 or -errno.
 */
int privileges_of_owner(const char *dir, uint64_t kept) MUST_CHECK;
