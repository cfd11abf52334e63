/* SPDX-License-Identifier: BSD-3-Clause */
/* spool.h - keep marks in RUNTIME-DIR/marks that are not in the archive yet */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * The spool is a folder. It has one file per waiting request, which appears only when it is
 * complete, and one file "groups" with the record groups that the agent has not written yet
 * (archive/unwritten.h). A request's file is called USEC.PID.N.mark. Its text is that of
 * request_put(), such as "begin JOB key=value ..." from a hook that no agent served.
 *
 * The folder belongs to the owner of the runtime directory; only the owner and root may write
 * there. Only the process that holds the file lock marks/lock removes requests and changes
 * RUNTIME-DIR/jobs.
 */
struct spool {
	int dirfd;		/* -1: not open */
	int lockfd;
	bool locked;
	/* number of names used so far; kept when the spool is closed, so that names stay unique */
	unsigned n;
	/* told about removed files; kept when the spool is closed */
	const struct listener *listener;
};

#define SPOOL_NAME_SIZE 80
#define SPOOL_MARK      ".mark"
/* path of the file of record groups, below the runtime directory */
#define SPOOL_GROUPS    "marks/groups"
#define SPOOL_MARK_MAX  1024		/* largest size of a request in bytes */
#define SPOOL_READ_MAX  4096		/* largest number of requests that spool_read() returns */

/*
 * Open the spool unless it is open. Returns 0; -EPERM if users other than its owner and root can
 * write there; or another -errno.
 */
int spool_open(struct spool *s, const char *runtime_dir) MUST_CHECK;
void spool_close(struct spool *s);

/* returns 0, -ETIMEDOUT or -errno */
int spool_lock(struct spool *s, int timeout_ms) MUST_CHECK;
/* Open the spool and lock it. If its folder was removed, make and open a new one. */
int spool_enter(struct spool *s, const char *runtime_dir, int timeout_ms) MUST_CHECK;
void spool_unlock(struct spool *s);

/*
 * spool_name() makes a new name for a request; name has SPOOL_NAME_SIZE bytes. spool_leave() and
 * spool_leave_named() store a request under a name and return 0 or -errno. A signal handler may
 * call spool_open() and spool_leave_named().
 */
void spool_name(struct spool *s, int64_t usec, char *name);
int spool_leave_named(struct spool *s, const char *name, struct str text) MUST_CHECK;
int spool_leave(struct spool *s, int64_t usec, struct str text, char *name) MUST_CHECK;
/*
 * Open the file of waiting record groups; `make` creates it if it is missing. Returns the
 * descriptor, -ENOENT, or another -errno.
 */
int spool_open_groups(const struct spool *s, bool make) MUST_CHECK;
bool spool_has(const struct spool *s, const char *name);
void spool_remove(const struct spool *s, const char *name);

/* A waiting request. */
struct spooled {
	char name[SPOOL_NAME_SIZE];
	int64_t usec;
	struct buf text;
};

/*
 * Read up to SPOOL_READ_MAX requests, oldest first. A file is removed if it is too large, has an
 * invalid name, or is not a regular file of root or of the folder's owner. Returns 0, or -errno if
 * a file cannot be read now: this file and all later ones stay. Call spooled_free() in both cases.
 */
int spool_read(struct spool *s, struct spooled **all, size_t *n) MUST_CHECK;
void spooled_free(struct spooled *all, size_t n);

/*
 * Return the number of waiting requests. Any user may call this, even without permission to read
 * them.
 */
size_t spool_count(const char *runtime_dir);
