/* SPDX-License-Identifier: BSD-3-Clause */
/* spool.h - RUNTIME-DIR/marks: what was promised to be marked and is not in the archive yet */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * A file for each thing that waits, whole or not there, named by its time and its writer, and one:
 *
 *   USEC.PID.N.mark	a request, "begin JOB key=value ...", of a hook that nobody could serve
 *   groups		record groups that the agent has not written yet (archive/unwritten.h)
 *
 * The folder belongs to whoever owns the runtime directory, and only they and root may write there.
 * The holder of the file lock marks/lock takes things out of it, and changes RUNTIME-DIR/jobs.
 */
struct spool {
	int dirfd;		/* -1: not opened */
	int lockfd;
	bool locked;
	unsigned n;		/* things that this process left so far */
	const struct listener *listener;	/* hears what is removed, or NULL */
};

#define SPOOL_NAME_SIZE 80
#define SPOOL_MARK      ".mark"
#define SPOOL_GROUPS    "marks/groups"	/* below the runtime directory */
#define SPOOL_MARK_MAX  1024		/* bytes */

/* 0, also where it is open; -EPERM: others than its owner can write there; or another -errno. */
int spool_open(struct spool *s, const char *runtime_dir) MUST_CHECK;
void spool_close(struct spool *s);

int spool_lock(struct spool *s, int timeout_ms) MUST_CHECK;	/* 0, -ETIMEDOUT or -errno */
/* Opens it, again where somebody removed it, and locks it. */
int spool_enter(struct spool *s, const char *runtime_dir, int timeout_ms) MUST_CHECK;
void spool_unlock(struct spool *s);

/*
 * Leaves something there; name has SPOOL_NAME_SIZE bytes. 0 or -errno. spool_open() and
 * spool_leave_named() may be called by a signal handler.
 */
void spool_name(struct spool *s, int64_t usec, char *name);
int spool_leave_named(struct spool *s, const char *name, struct str text) MUST_CHECK;
int spool_leave(struct spool *s, int64_t usec, struct str text, char *name) MUST_CHECK;
/* The file in which groups wait, made if missing: its descriptor, -ENOENT, or another -errno. */
int spool_open_groups(const struct spool *s, bool make) MUST_CHECK;
bool spool_has(const struct spool *s, const char *name);
void spool_remove(const struct spool *s, const char *name);

/* A request that waits. */
struct spooled {
	char name[SPOOL_NAME_SIZE];
	int64_t usec;
	struct buf text;
};

/*
 * All requests, the oldest first, 4096 of them at most; what is no regular file of root or of the
 * folder's owner, has other names or is too large is removed. 0, or -errno of one that cannot be
 * read now and stays, as all after it do. spooled_free() ends it in either case.
 */
int spool_read(struct spool *s, struct spooled **all, size_t *n) MUST_CHECK;
void spooled_free(struct spooled *all, size_t n);

/* How many requests there are, for who may only look. */
size_t spool_count(const char *runtime_dir);
