/* SPDX-License-Identifier: BSD-3-Clause */
/* follow_host.h - the record groups of DIR/HOST one by one, as they are written: file after file */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "archive/input.h"
#include "base/base.h"
#include "base/buf.h"

/*
 * The files of one host in the order of their epochs, closed and compressed ones too, and then
 * current as it grows. A file that comes between this one and the one before it was begun by a
 * clock that was set back: it is read, and this one again. Memory is bounded: a piece of one file.
 */
#define FOLLOW_ENDS 64	/* groups that are looked at again when the file has changed */
#define FOLLOW_HEAD 64	/* bytes of each, which have its time */

struct follow {
	/* The caller's, set before follow_open(). */
	int64_t epoch;		/* begin with this file; 0: with the oldest */
	int64_t after;		/* the file that was read before it; 0: not known */
	bool newest;		/* begin with the newest file instead */
	bool once;		/* do not wait: the files end where they end now */
	bool again;		/* do not wait: -EAGAIN, until there is more */
	int also;		/* 0, or one more descriptor that ends a wait; -1: look soon */
	const volatile int *stop;	/* ends the waiting */
	int (*idle)(void *arg);	/* before each wait: 0, or -errno, which ends the file; or NULL */
	void *arg;

	/* To be read. */
	uint64_t at;		/* bytes of the text of this file up to where the reader is */
	bool live;		/* the file is current, or is to be */
	off_t whole;		/* .live: bytes of its whole groups, when it was last looked at */
	bool gone;		/* the file before it was removed, and others with it maybe */
	uint64_t digest;	/* of the group that ends at .at: not 0, and its own */
	uint64_t same;		/* so many bytes of what was read are in the file as they were */

	/* follow.c's own. */
	struct buf path;	/* DIR/HOST */
	int dirfd, inotify;
	int fd;			/* current, or -1 */
	struct input *input;	/* a closed file, or NULL */
	ino_t inode;
	bool resume;		/* .epoch was not opened yet */
	bool known, grouped;	/* how the block between two blank lines begins: with a group */
	bool ended_group;	/* the reader knows that no row follows */
	char last;
	struct follow_end {
		uint64_t begin, end, digest;
	} ends[FOLLOW_ENDS];	/* of the newest groups that were read */
	size_t n_ends;
	uint64_t begin;		/* of the group that is being read, which begins so: */
	char head[FOLLOW_HEAD];
	size_t n_head;
	size_t from, n;
	char chunk[64u << 10];
};

/*
 * path: DIR/HOST. 0 or -errno: -ENOENT where this host has no archive yet. Descriptors need not be
 * set before.
 */
int follow_open(struct follow *f, struct str path) MUST_CHECK;
void follow_close(struct follow *f);

/*
 * Opens the next file, and waits for it: 0, or -errno (-EINTR: *stop is set; -ESTALE: the folder
 * has gone, or is another one by now; -ENOENT: there is no file, where .once says not to wait;
 * -EAGAIN).
 */
int follow_next_file(struct follow *f) MUST_CHECK;

/*
 * Before the files are read: a descriptor that can be read when more has come since this call. For
 * .also of another one.
 */
int follow_wakes(struct follow *f);

/* The next file is this one again, from its begin. */
static inline void follow_again(struct follow *f)
{
	f->resume = true;
}

/* Whether the group that the reader has just handed out is the last one there is. */
bool follow_is_newest(const struct follow *f);

/*
 * For raw_records(): whole groups of that file, which the reader hands out one by one, each
 * when .at is its end; waits for more. A bad line that it counts then is not the file's. It ends
 * when another file is current, or as .once says. Where groups were taken back it goes on after the
 * newest one that is still there: .same says where.
 */
struct byte_source follow_bytes(struct follow *f);
