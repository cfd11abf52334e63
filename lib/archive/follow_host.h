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
 * Read the files of one host in the order of their epochs, also compressed files, and then the
 * current file while it grows. If the clock was set back, a file may appear between the previous
 * and the present file: read it, and then the present file again from its start. Memory is bounded
 * by one piece of one file.
 */
/* number of the last records whose digests are kept, to detect that a file was changed */
#define FOLLOW_ENDS 64
/* bytes that are compared from the start of a record; they include its TIME */
#define FOLLOW_HEAD 64

struct follow {
	/* Set by the caller before follow_open(). */
	int64_t epoch;		/* epoch of the file to begin with; 0: the oldest */
	int64_t after;		/* epoch of the file that was read before .epoch; 0: unknown */
	bool newest;		/* begin with the newest file and ignore .epoch */
	bool once;	/* stop at the present end of the files, instead of waiting for more */
	bool no_wait;		/* return -EAGAIN instead of waiting for more */
	/* a descriptor that also ends a wait when it is readable; 0: none; -1: wait only briefly */
	int wake_fd;
	/*
	 * flag that ends the wait, set by a signal handler; not NULL. The caller must block the
	 * signals: they are unblocked only during the wait.
	 */
	const volatile int *stop;
	/*
	 * called before each wait; returns 0, or -errno to stop reading with this error; may be
	 * NULL
	 */
	int (*idle)(void *arg);
	void *arg;

	/* Results for the caller. */
	/* offset in the text of the present file up to which it was delivered */
	uint64_t at;
	bool live;		/* the present file is the current file, or will be made current */
	/* if .live: offset of the end of the last complete record, as far as is known */
	off_t complete_end;
	/* the previous file was removed, and perhaps files after it, too; the caller clears this */
	bool has_gap;
	/* epoch of the file that follow_next_file() could not open; 0: no such file */
	int64_t unopened;
	uint64_t digest;	/* digest of the record that ends at .at, never 0 */
	/*
	 * if records were replaced: offset of the end of the last unchanged record; else UINT64_MAX
	 */
	uint64_t unchanged_end;

	/* Private to follow_host.c. */
	struct buf path;	/* path DIR/HOST */
	int dirfd, inotify;
	int fd;			/* descriptor of the current file, or -1 */
	struct input *input;	/* a closed file, or NULL */
	ino_t inode;
	bool resume;		/* open the file .epoch again, instead of the next one */
	/*
	 * .grouped: the block being read is a record, not a header; .known: .grouped is set already
	 */
	bool known, grouped;
	bool ended_group;	/* the line GROUP_END was delivered after the last record */
	char last;
	struct follow_end {
		uint64_t begin, end, digest;
	} ends[FOLLOW_ENDS];	/* the last records read, oldest first */
	size_t n_ends;
	/* offset of the start of the record being read; .head has its first bytes */
	uint64_t begin;
	char head[FOLLOW_HEAD];
	size_t n_head;
	size_t from, n;
	char chunk[64u << 10];
};

/*
 * Open the folder DIR/HOST. The descriptors in *f need not be initialized. Returns 0 or -errno;
 * -ENOENT if this host has no archive yet.
 */
int follow_open(struct follow *f, struct str path) MUST_CHECK;
void follow_close(struct follow *f);

/*
 * Open the next file; wait until there is one. Returns 0; -EINTR if *stop is set; -ESTALE if the
 * folder was removed or replaced; with .once, -ENOENT if there is no further file; with .no_wait,
 * -EAGAIN if there is none yet; or another -errno.
 */
int follow_next_file(struct follow *f) MUST_CHECK;

/*
 * Return a descriptor that becomes readable when the folder changes after this call. Call this
 * before the files are read. The descriptor may be the .wake_fd of another struct follow.
 */
int follow_wakes(struct follow *f);

/* Let follow_next_file() open the present file again, at its start, instead of the next file. */
static inline void follow_again(struct follow *f)
{
	f->resume = true;
}

/* Returns true if the record that was just delivered is the newest. */
bool follow_is_newest(const struct follow *f);

/*
 * Returns a source for raw_records(). It delivers the complete records of the present file, and
 * waits for more while the file grows. It ends when another file becomes current, when *stop is set
 * or the folder is gone. At the present end of the file it does not wait with .once, which ends the
 * source, and with .no_wait, which returns -EAGAIN.
 *
 * After each record, the source inserts a line that ends the record for the reader, who drops the
 * line as invalid: do not count it as an error. The record then ends at offset f->at.
 *
 * If a writer has removed records that were delivered, f->unchanged_end is the end of the last
 * delivered record that is still in the file, and reading continues there. If none of the last
 * FOLLOW_ENDS records is still there, the source ends, and follow_next_file() opens the file again
 * from its start.
 */
struct byte_source follow_bytes(struct follow *f);
