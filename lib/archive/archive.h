/* SPDX-License-Identifier: BSD-3-Clause */
/* archive.h - write whole record groups to DIR/HOST/EPOCH and keep the link DIR/HOST/current */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * Every writer (the agent, and single runs from hooks and cron) holds the file lock DIR/HOST/lock
 * while it writes, and writes each record group with one write(2). A writer that is killed in the
 * middle leaves a torn tail, which the next writer cuts off (archive/torn.h). All functions return
 * 0 or -errno.
 */
struct archive {
	int dirfd;		/* descriptor of DIR/HOST, or -1 */
	int lockfd;
	/* told about torn tails; NULL after archive_open() */
	const struct listener *listener;
	int fd;			/* descriptor of current; -1 if there is none yet */
	ino_t inode;
	off_t size;		/* offset after the last group known to be whole */
	/* TIME of the last group, 0 if unknown; the caller sets it after each write */
	int64_t last_us;
	bool trusted;		/* the header of current covers our schema */
	/* the newest header of current describes the devices as we know them */
	bool described;
	int64_t rotate_at_us;	/* end of the day in which current was begun */
	/* free space to keep, bytes, or TIDY_FLOOR; 0 after archive_open() */
	int64_t floor;
	/*
	 * time of the last check of free space; checked every 10 s, or before each group while
	 * space is short
	 */
	int64_t floor_checked_ns;
	bool below_floor;
};

/* Create DIR and its parents. Returns 0 or -errno. */
int archive_make_dirs(const char *dir) MUST_CHECK;

/*
 * Open DIR/HOST, creating missing folders. Files in it get mode 0640. DIR/HOST must not be a
 * symbolic link.
 */
int archive_open(struct archive *a, const char *dir, const char *host) MUST_CHECK;
/*
 * Open a file in DIR/HOST, creating it if missing, with mode 0600 so that only its owner can hold
 * it by flock(2).
 */
int archive_open_lock(int dirfd, const char *name) MUST_CHECK;
void archive_close(struct archive *a);

/*
 * Take the lock, reopen current if another process replaced it, and cut off a torn tail. Returns
 * -ETIMEDOUT after timeout_ms. If the tail of current cannot be found, the file stays as it is and
 * counts as absent. After an error the lock is not held. Call all functions below with the lock
 * held.
 */
int archive_lock(struct archive *a, int timeout_ms) MUST_CHECK;
void archive_unlock(const struct archive *a);

/*
 * Returns true if current can take groups of this format version, schema (the "!" lines of the
 * text) and boot; otherwise call archive_begin(). Reads the file only if the file or the schema has
 * changed since the last call.
 */
bool archive_covers(struct archive *a, struct str version, struct str schema,
		    struct str boot_id);

/*
 * Returns true if the newest header of current has the "$below" lines of `wanted`, and no other
 * lines of the same types; otherwise write another header before the next group. Reads up to 4 MB
 * of the file, and only if .described is false. Clear .described when the devices change.
 */
bool archive_has_below(struct archive *a, struct str wanted);

/*
 * Append a group. After an error the file is as before. Returns -ENOSPC also if free space is below
 * the floor.
 */
int archive_append(struct archive *a, struct str group) MUST_CHECK;
/* Truncate current to this size, its size before groups that the disk failed to sync. */
void archive_truncate(struct archive *a, off_t size);
/* Write a header and a group to a new file, sync it, and make it current. */
int archive_begin(struct archive *a, int64_t usec, struct str header, struct str group) MUST_CHECK;

/* Call fdatasync(2) on current, so that marks are on the disk. */
int archive_sync(const struct archive *a) MUST_CHECK;
