/* SPDX-License-Identifier: BSD-3-Clause */
/* archive.h - write whole record groups to DIR/HOST/EPOCH and keep the link DIR/HOST/current */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * Every writer (the agent, or a program that a hook or cron has started) holds the file lock
 * DIR/HOST/lock while it writes, and writes each record group with one write(2). A writer that is
 * killed in the middle leaves an incomplete record group, a "torn tail". The next writer cuts it
 * off (archive/torn.h). In this folder, a "record" is the text of one record group of
 * nodometer-raw(5). All functions return 0 or -errno.
 */
struct archive {
	int dirfd;		/* descriptor of DIR/HOST, or -1 */
	int lockfd;
	/* informed of torn tails; NULL after archive_open() */
	const struct listener *listener;
	int fd;			/* descriptor of the current file; -1 if there is no file yet */
	ino_t inode;
	off_t size;		/* offset of the end of the last whole record */
	/* TIME of the last record, 0 if unknown; the caller sets it after each write */
	int64_t last_us;
	/* the current file was checked: its header has this writer's schema, version and boot id */
	bool trusted;
	/* the current file was checked: its newest header describes the present devices */
	bool described;
	/* local midnight at the end of the day in which the current file was begun */
	int64_t rotate_at_us;
	/*
	 * bytes that must stay free on the file system (free-floor), or TIDY_FLOOR; 0 after
	 * archive_open()
	 */
	int64_t floor;
	/*
	 * time of the last check of the free space. The check is made every 10 s, or before each
	 * record while space is short.
	 */
	int64_t floor_checked_ns;
	bool below_floor;
};

/* Create DIR and its parents. Returns 0 or -errno. */
int archive_make_dirs(const char *dir) MUST_CHECK;

/*
 * Open DIR/HOST, creating missing folders. New files in DIR/HOST get mode 0640. DIR/HOST must not
 * be a symbolic link.
 */
int archive_open(struct archive *a, const char *dir, const char *host) MUST_CHECK;
/*
 * Open a file in DIR/HOST, creating it if it is missing. Its mode is 0600, so that only its owner
 * can open it and lock it with flock(2).
 */
int archive_open_lock(int dirfd, const char *name) MUST_CHECK;
void archive_close(struct archive *a);

/*
 * Take the lock, open the current file again if another process has replaced it, and cut off a torn
 * tail. Returns -ETIMEDOUT after timeout_ms. If the end of the last whole record cannot be found in
 * the current file, this file is left as it is, and the next record begins a new file. After an
 * error the lock is not held. All functions below must be called with the lock held.
 */
int archive_lock(struct archive *a, int timeout_ms) MUST_CHECK;
void archive_unlock(const struct archive *a);

/*
 * Returns true if the current file can take records of this format version, schema (the "!" lines
 * of the text) and boot. If this returns false, call archive_begin(). Reads the file only if the
 * file or the schema has changed since the last call.
 */
bool archive_covers(struct archive *a, struct str version, struct str schema,
		    struct str boot_id);

/*
 * Returns true if the newest header of the current file has the "$below" lines of `wanted`, and no
 * other "$below" lines of the same types. If this returns false, write another header before the
 * next record. Reads up to 4 MB of the file, and only if .described is false. Clear .described when
 * the devices change.
 */
bool archive_has_below(struct archive *a, struct str wanted);

/*
 * Append a record. After an error the file is unchanged. Returns -ENOSPC if the disk is full, or if
 * less than .floor bytes are free.
 */
int archive_append(struct archive *a, struct str group) MUST_CHECK;
/*
 * Truncate the current file to `size`, the size that it had before the records that could not be
 * synced.
 */
void archive_truncate(struct archive *a, off_t size);
/* Write a header and a record to a new file, sync the file, and make it current. */
int archive_begin(struct archive *a, int64_t usec, struct str header, struct str group) MUST_CHECK;

/* Call fdatasync(2) on the current file, so that marks are on the disk. */
int archive_sync(const struct archive *a) MUST_CHECK;
