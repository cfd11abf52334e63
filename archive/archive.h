/* SPDX-License-Identifier: BSD-3-Clause */
/* archive.h - DIR/HOST/EPOCH and the link DIR/HOST/current: whole record groups, or nothing */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/listener.h"

/*
 * All writers, the agent and single runs from hooks and cron, hold the file lock DIR/HOST/lock
 * while they write, and write one record group by one write(2). A writer that is killed in the
 * middle leaves a torn tail; whoever writes next cuts it off (archive/torn.h). All functions return
 * 0 or -errno.
 */
struct archive {
	int dirfd;		/* DIR/HOST, or -1 */
	int lockfd;
	const struct listener *listener;	/* to what is cut off; none after archive_open() */
	int fd;			/* current, or -1: there is none yet */
	ino_t inode;
	off_t size;		/* after the last group that is known to be whole */
	int64_t last_us;	/* TIME of the last group, 0: not known; ours: who writes sets it */
	bool trusted;		/* the header of current covers our schema, */
	bool described;		/* and its newest one says what we know of devices */
	int64_t rotate_at_us;	/* the end of the day in which current began */
	int64_t floor;		/* bytes, or TIDY_FLOOR; none after archive_open() */
	int64_t floor_checked_ns;	/* every ten seconds; below it, before each group */
	bool below_floor;
};

/* DIR and what is above it. 0 or -errno. */
int archive_make_dirs(const char *dir) MUST_CHECK;

/* Makes the folders that are missing; files in them are 0640. DIR/HOST may be no symbolic link. */
int archive_open(struct archive *a, const char *dir, const char *host) MUST_CHECK;
/* A file in DIR/HOST, made if missing, that only its owner can open, or hold by flock(2). */
int archive_open_lock(int dirfd, const char *name) MUST_CHECK;
void archive_close(struct archive *a);

/*
 * Takes the lock, -ETIMEDOUT after so many milliseconds, opens current again if somebody replaced
 * it, and cuts off a torn tail. A file whose tail cannot be found is left as it is: there is no
 * current then. After an error the lock is not held. All functions below are called with the lock.
 */
int archive_lock(struct archive *a, int timeout_ms) MUST_CHECK;
void archive_unlock(const struct archive *a);

/*
 * Whether current can take groups of this version of the format, this schema (the "!" lines of
 * the text) and boot: else archive_begin() a new one. Looks into the file only when it or the
 * schema has changed since the last call.
 */
bool archive_covers(struct archive *a, struct str version, struct str schema,
		    struct str boot_id);

/*
 * Whether the newest header of current has the "$below" lines of the wanted one, and no others of
 * their types: else another header is due before the next group. Looks into the file, its last 4 MB
 * at most, only when it or they have changed since the last call: then .described is false.
 */
bool archive_tells(struct archive *a, struct str wanted);

/* Appends a group, or leaves the file as it was: -ENOSPC, also below the floor. */
int archive_append(struct archive *a, struct str group) MUST_CHECK;
/* Cuts the file off at this size, as it was before groups that the disk failed to sync. */
void archive_take_back(struct archive *a, off_t size);
/* A new file that begins with a header and this group; on the disk, it becomes current. */
int archive_begin(struct archive *a, int64_t usec, struct str header, struct str group) MUST_CHECK;

/* fdatasync(2): the marks are on the disk. */
int archive_sync(const struct archive *a) MUST_CHECK;
