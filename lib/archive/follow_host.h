/* SPDX-License-Identifier: BSD-3-Clause */
/* follow_host.h - read the record groups of DIR/HOST in order, while they are written */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "archive/input.h"
#include "base/base.h"
#include "base/buf.h"

/*
 * Reads the files of one host in the order of their epochs, closed and compressed files included,
 * and then current while it grows. If a file appears with an epoch between the previous file and
 * this one, the clock was set back: that file is read, and then this one again. Memory is bounded
 * by one piece of one file.
 */
#define FOLLOW_ENDS 64	/* number of recent groups that are compared if the file changed */
#define FOLLOW_HEAD 64	/* first bytes of each group that are compared; they include its TIME */

struct follow {
	/* Set by the caller before follow_open(). */
	int64_t epoch;		/* file to begin with; 0: the oldest */
	int64_t after;		/* file that was read before .epoch; 0: unknown */
	bool newest;		/* begin with the newest file instead */
	bool once;		/* stop at the present end of the files instead of waiting */
	bool again;		/* return -EAGAIN instead of waiting */
	/* second descriptor that ends a wait; 0: none; -1: wait only briefly */
	int also;
	const volatile int *stop;	/* flag that ends the wait, set by a signal handler */
	/* called before each wait: 0, or -errno to end the file; may be NULL */
	int (*idle)(void *arg);
	void *arg;

	/* Results for the caller. */
	uint64_t at;		/* offset of the reader in the text of this file */
	bool live;		/* the file is current, or about to be */
	off_t whole;		/* size of the whole groups at the last look, if .live */
	bool gone;		/* the previous file was removed, and perhaps others with it */
	int64_t unopened;	/* file that follow_next_file() could not open; 0: none */
	uint64_t digest;	/* digest of the group that ends at .at, never 0 */
	uint64_t same;		/* bytes read earlier that are still unchanged in the file */

	/* Private to follow_host.c. */
	struct buf path;	/* path DIR/HOST */
	int dirfd, inotify;
	int fd;			/* descriptor of current, or -1 */
	struct input *input;	/* a closed file, or NULL */
	ino_t inode;
	bool resume;		/* open .epoch again, not the file after it */
	/* whether the start of the current block was seen, and whether the block is a group */
	bool known, grouped;
	bool ended_group;	/* the reader was told that the group is complete */
	char last;
	struct follow_end {
		uint64_t begin, end, digest;
	} ends[FOLLOW_ENDS];	/* the newest groups read, oldest first */
	size_t n_ends;
	uint64_t begin;		/* offset of the group being read; .head has its first bytes */
	char head[FOLLOW_HEAD];
	size_t n_head;
	size_t from, n;
	char chunk[64u << 10];
};

/*
 * Open the folder DIR/HOST. Descriptors need not be initialized. Returns 0 or -errno; -ENOENT if
 * this host has no archive yet.
 */
int follow_open(struct follow *f, struct str path) MUST_CHECK;
void follow_close(struct follow *f);

/*
 * Open the next file, waiting for it if necessary. Returns 0 or -errno: -EINTR if *stop is set,
 * -ESTALE if the folder was removed or replaced, -ENOENT if there is no file and .once is set,
 * -EAGAIN if there is none yet and .again is set.
 */
int follow_next_file(struct follow *f) MUST_CHECK;

/*
 * Discard pending events and return a descriptor that becomes readable when the folder changes
 * after this call. Call it before the files are read; pass the descriptor as .also of another
 * follow.
 */
int follow_wakes(struct follow *f);

/* Read this file again from its start. */
static inline void follow_again(struct follow *f)
{
	f->resume = true;
}

/* Returns true if the group that the reader has just delivered is the newest. */
bool follow_is_newest(const struct follow *f);

/*
 * Returns a source for raw_records() that delivers the whole groups of this file and waits for
 * more. Each group is complete when .at reaches its end. To achieve that, a line that is no valid
 * group is inserted after each group: do not count it as a bad line of the file. The source ends
 * when another file becomes current, or as .once says. If a writer took groups back, reading
 * resumes after the newest group that is still there, and .same is the offset.
 */
struct byte_source follow_bytes(struct follow *f);
