/* SPDX-License-Identifier: BSD-3-Clause */
/* archive.h - write complete record groups to DIR/HOST/EPOCH and keep the link DIR/HOST/current */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * The archive of a host, for writing. Every writer (the agent, or a program that a hook or cron has
 * started) holds the file lock DIR/HOST/lock while it writes, and writes each record group with one
 * write(2). If a writer is killed, the next writer cuts off an incomplete record group, the "torn
 * tail" (archive/torn.h). In this folder, a "record" is the text of a record group, see
 * nodometer-raw(5).
 */
struct archive {
	int dirfd;		/* descriptor of DIR/HOST, or -1 */
	int lockfd;
	/* gets reports of torn tails; NULL after archive_open() */
	const struct listener *listener;
	int fd;			/* descriptor of the current file; -1 if there is no file yet */
	ino_t inode;
	off_t size;		/* offset of the end of the last complete record; -1: unknown */
	/* TIME of the last record, 0 if unknown; the caller sets it after each write */
	int64_t last_us;
	/* the header of the current file has this writer's schema, version and boot id */
	bool trusted;
	/*
	 * it was checked that the newest header of the current file describes the present devices
	 */
	bool described;
	/* local midnight after the current file was begun, in microseconds since 1970 */
	int64_t rotate_at_us;
	/* bytes to leave free on the file system, or TIDY_FLOOR; 0 after archive_open() */
	int64_t floor;
	/*
	 * time of the last check of the free space, in ns of CLOCK_MONOTONIC, 0: none. The space is
	 * checked at most every ten seconds but, while it is short, before each record.
	 */
	int64_t floor_checked_ns;
	bool below_floor;
};

/* Create DIR and its parents. Returns 0 or -errno. */
int archive_make_dirs(const char *dir) MUST_CHECK;

/*
 * Open DIR/HOST, which must not be a symbolic link. Missing folders are created. Returns 0 or
 * -errno.
 */
int archive_open(struct archive *a, const char *dir, const char *host) MUST_CHECK;
/*
 * Open a file in DIR/HOST, creating it if it is missing. Its mode is 0600, so that no other user
 * can lock it. Returns the descriptor or -errno.
 */
int archive_open_lock(int dirfd, const char *name) MUST_CHECK;
void archive_close(struct archive *a);

/*
 * Take the lock, and open the current file again if another process has replaced it. If nodometer
 * wrote the file, cut off a torn tail; if the end of its last complete record is not found, leave
 * the file as it is, and let the next record begin a new file. Returns 0; -ETIMEDOUT after
 * timeout_ms; or another -errno. After an error the lock is not held. Call the functions below only
 * with the lock held.
 */
int archive_lock(struct archive *a, int timeout_ms) MUST_CHECK;
void archive_unlock(const struct archive *a);

/*
 * Returns true if the current file can take records with this format version, schema ("!" lines)
 * and boot id, and this version of nodometer began the file. Otherwise call archive_begin(). Reads
 * the file only if .trusted is false; clear .trusted when the schema changes.
 */
bool archive_covers(struct archive *a, struct str version, struct str schema,
		    struct str boot_id);

/*
 * Compare the newest header of the current file with the "$below" lines of `wanted`. Returns true
 * if, for the types in `wanted`, the header has these lines and no others. If this returns false,
 * write another header before the next record. Reads up to 4 MB of the file, and only if .described
 * is false; clear .described when the devices change.
 */
bool archive_has_below(struct archive *a, struct str wanted);

/*
 * Append a record. Returns 0; -ENOSPC if the disk is full or fewer than .floor bytes are free; or
 * another -errno. After an error the file is unchanged; if it cannot be truncated, the next
 * archive_lock() cuts off the torn tail.
 */
int archive_append(struct archive *a, struct str group) MUST_CHECK;
/* Remove records that could not be synced: truncate the current file to the size it had before. */
void archive_truncate(struct archive *a, off_t size);
/*
 * Write a header and a record to a new file, sync the file, and make it current. Returns the same
 * values as archive_append(). After an error the current file stays the same.
 */
int archive_begin(struct archive *a, int64_t usec, struct str header, struct str group) MUST_CHECK;

/* Sync the current file. Returns 0 or -errno. */
int archive_sync(const struct archive *a) MUST_CHECK;
