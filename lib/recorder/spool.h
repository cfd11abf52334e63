/* SPDX-License-Identifier: BSD-3-Clause */
/* spool.h - keep marks in RUNTIME-DIR/marks that are not in the archive yet */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * The folder has one file per waiting request, complete or absent, and one file of groups:
 *
 *	USEC.PID.N.mark	a request, "begin JOB key=value ...", of a hook that no agent served
 *	groups		record groups that the agent has not written yet (archive/unwritten.h)
 *
 * The folder belongs to the owner of the runtime directory; only the owner and root may write
 * there. The holder of the file lock marks/lock removes requests and changes RUNTIME-DIR/jobs.
 */
struct spool {
	int dirfd;		/* -1: not open */
	int lockfd;
	bool locked;
	/* number of names given; kept across a close, so that no name is used twice */
	unsigned n;
	const struct listener *listener;	/* told about removed files; kept across a close */
};

#define SPOOL_NAME_SIZE 80
#define SPOOL_MARK      ".mark"
#define SPOOL_GROUPS    "marks/groups"	/* path of the groups, below the runtime directory */
#define SPOOL_MARK_MAX  1024		/* limit of a request, bytes */
#define SPOOL_READ_MAX  4096		/* most requests that spool_read() returns */

/*
 * Open the spool unless it is open. Returns 0; -EPERM if users other than its owner can write
 * there; or another -errno.
 */
int spool_open(struct spool *s, const char *runtime_dir) MUST_CHECK;
void spool_close(struct spool *s);

/* returns 0, -ETIMEDOUT or -errno */
int spool_lock(struct spool *s, int timeout_ms) MUST_CHECK;
/* Open the spool, again if its folder was removed, and lock it. */
int spool_enter(struct spool *s, const char *runtime_dir, int timeout_ms) MUST_CHECK;
void spool_unlock(struct spool *s);

/*
 * Leave a request under a new name; name has SPOOL_NAME_SIZE bytes. Returns 0 or -errno.
 * spool_open() and spool_leave_named() may be called by a signal handler.
 */
void spool_name(struct spool *s, int64_t usec, char *name);
int spool_leave_named(struct spool *s, const char *name, struct str text) MUST_CHECK;
int spool_leave(struct spool *s, int64_t usec, struct str text, char *name) MUST_CHECK;
/*
 * Open the file of waiting groups, creating it if `make` is set. Returns the descriptor, -ENOENT,
 * or another -errno.
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
 * Read up to SPOOL_READ_MAX requests, oldest first. A request is removed if it is too large, has an
 * invalid name, or is not a regular file of root or of the folder's owner. Returns 0, or -errno if
 * one cannot be read now: it stays, and so do all after it. Call spooled_free() in both cases.
 */
int spool_read(struct spool *s, struct spooled **all, size_t *n) MUST_CHECK;
void spooled_free(struct spooled *all, size_t n);

/* Returns the number of waiting requests, for users who may only look. */
size_t spool_count(const char *runtime_dir);
