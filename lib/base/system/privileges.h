/* SPDX-License-Identifier: BSD-3-Clause */
/* privileges.h - capabilities(7) that are kept, and the user that root becomes for an archive */
#pragma once

#include <sys/types.h>
#include "base/buf.h"

/* Sets of capabilities, by their bits. */
#define PRIVILEGE(number)  ((uint64_t)1 << (number))
#define PRIVILEGE_CHOWN    PRIVILEGE(0)
#define PRIVILEGE_OVERRIDE PRIVILEGE(1)		/* CAP_DAC_OVERRIDE */
#define PRIVILEGE_SEARCH   PRIVILEGE(2)		/* CAP_DAC_READ_SEARCH */
#define PRIVILEGE_FOWNER   PRIVILEGE(3)
#define PRIVILEGE_FSETID   PRIVILEGE(4)		/* files keep set-user-ID bits when written */
#define PRIVILEGE_SETGID   PRIVILEGE(6)
#define PRIVILEGE_SETUID   PRIVILEGE(7)
#define PRIVILEGE_PTRACE   PRIVILEGE(19)	/* CAP_SYS_PTRACE */
#define PRIVILEGE_ADMIN    PRIVILEGE(21)	/* CAP_SYS_ADMIN */
#define PRIVILEGE_RESOURCE PRIVILEGE(24)	/* CAP_SYS_RESOURCE: quotas do not hold for it */
#define PRIVILEGE_PERFMON  PRIVILEGE(38)	/* since Linux 5.8 */
#define PRIVILEGE_BPF      PRIVILEGE(39)	/* likewise */
/* Capabilities by which root writes an archive of another user. */
#define PRIVILEGES_OF_OWNER (PRIVILEGE_CHOWN | PRIVILEGE_OVERRIDE | PRIVILEGE_FOWNER)

/* The rights of root on any file: CAP_MKNOD, CAP_LEASE and CAP_SETFCAP, too. */
#define PRIVILEGES_OF_FILES (PRIVILEGES_OF_OWNER | PRIVILEGE_SEARCH | PRIVILEGE_FSETID | \
			     PRIVILEGE(27) | PRIVILEGE(28) | PRIVILEGE(31))

/* Capabilities in force; 0 where they cannot be known. */
uint64_t privileges_left(void);

/* Drops all others, for good, also for programs that are started. 0 or -errno. */
int privileges_keep(uint64_t kept) MUST_CHECK;

/* From now on this thread acts by these, of all that it may take again. 0 or -errno. */
int privileges_use(uint64_t set) MUST_CHECK;

/*
 * Puts more of those that were kept into force in this thread, until privileges_lower() gets what
 * this returns: the set before, 0 where nothing was changed.
 */
uint64_t privileges_raise(uint64_t more);
void privileges_lower(uint64_t before);

/*
 * The set with what PERFMON takes on this machine: CAP_SYS_ADMIN does it where Linux is older than
 * 5.8, and where Debian's perf_event_paranoid is above 2.
 */
uint64_t privileges_here(uint64_t set);

/* Their names with commas between them: "cap_perfmon"; "none". */
void privileges_put(struct buf *b, uint64_t set);

/* A user, with one group. */
struct identity {
	uid_t uid;
	gid_t gid;
};

/* Root for what needs no root: user nodometer of /etc/passwd, or nobody. */
struct identity privileges_nobody(void);

/*
 * Root becomes this user, with no other groups, keeps these capabilities of its own, and drops the
 * others. Another user drops what it has of others alone. 0 or -errno.
 */
int privileges_become(const struct identity *who, uint64_t kept) MUST_CHECK;

/*
 * Root becomes the owner of the directory that it writes to, where that is not root, and else
 * privileges_nobody(); "" is no directory. The kept capabilities are in force between
 * privileges_use() and privileges_rest() alone; all others are dropped, also where -errno says that
 * root cannot become another user here, as in a container with one user.
 */
int privileges_leave_root(const char *dir, uint64_t kept) MUST_CHECK;

/* No capability is in force in this thread, until the next privileges_use(). */
void privileges_rest(void);

/*
 * Root becomes the user and the group that a directory belongs to, keeps these capabilities of
 * its own, and drops the others. A directory that is not there is root's. 0 or -errno.
 */
int privileges_of_owner(const char *dir, uint64_t kept) MUST_CHECK;
