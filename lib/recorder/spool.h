/* SPDX-License-Identifier: BSD-3-Clause */
/* spool.h - keep marks in RUNTIME-DIR/marks that are not in the archive yet */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * Folder of waiting requests, and of the record groups that the agent has not written yet
 * (archive/unwritten.h).
 *
 * Each request is a file USEC.PID.N.mark with the text of request_put(), such as "begin JOB
 * key=value ..."; the file appears only when it is complete. The file "groups" has the record
 * groups. Only root and the owner of the runtime directory may write to the folder. A process that
 * removes requests or changes RUNTIME-DIR/jobs holds the lock marks/lock.
 */
struct spool {
	int dirfd;		/* -1: not open */
	int lockfd;
	bool locked;
	/* number of file names used so far, to keep names unique; kept by spool_close() */
	unsigned n;
	/* told about invalid files that were removed; kept by spool_close() */
	const struct listener *listener;
};

#define SPOOL_NAME_SIZE 80
#define SPOOL_MARK      ".mark"
/* file of waiting record groups, below the runtime directory */
#define SPOOL_GROUPS    "marks/groups"
#define SPOOL_MARK_MAX  1024		/* largest size of a request in bytes */
#define SPOOL_READ_MAX  4096		/* largest number of requests that spool_read() returns */

/*
 * Open the spool unless it is open. Creates missing folders. Returns 0; -EPERM if users other than
 * its owner and root can write there; or another -errno.
 */
int spool_open(struct spool *s, const char *runtime_dir) MUST_CHECK;
void spool_close(struct spool *s);

/* Take the lock marks/lock. Returns 0, -ETIMEDOUT or another -errno. */
int spool_lock(struct spool *s, int timeout_ms) MUST_CHECK;
/* Open the spool and lock it. If its folder was removed, make and open a new one. */
int spool_enter(struct spool *s, const char *runtime_dir, int timeout_ms) MUST_CHECK;
void spool_unlock(struct spool *s);

/*
 * spool_name() makes a new file name of up to SPOOL_NAME_SIZE bytes. spool_leave_named() stores a
 * request under a given name, and spool_leave() under a new name. Both return 0 or -errno. A signal
 * handler may call spool_open() and spool_leave_named().
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
 * invalid name, or is not a regular file that belongs to root or the folder's owner and that only
 * its owner can write. Returns 0, or -errno if a file cannot be read now: this file and later ones
 * stay. In both cases, call spooled_free().
 */
int spool_read(struct spool *s, struct spooled **all, size_t *n) MUST_CHECK;
void spooled_free(struct spooled *all, size_t n);

/*
 * Return the number of waiting requests. Any user may call this, even without permission to read
 * them.
 */
size_t spool_count(const char *runtime_dir);
