/* SPDX-License-Identifier: BSD-3-Clause */
/* follow.h - the bytes of DIR/HOST/current as they are written, one file after the other */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"
#include "formats/raw_read.h"

/* All of it follow.c's own but .once, .past and .stop. */
struct follow {
	struct buf path;	/* DIR/HOST */
	int dirfd;
	int inotify;
	int fd;			/* the file that is read, or -1 */
	ino_t inode;
	off_t at, whole;
	bool fresh;		/* the file was not there yet when it was first looked for */
	bool ended_group;	/* the reader was told that no row follows */
	bool once;		/* do not wait: the files end where they end now */
	bool past;		/* to be set: what the file held when it was opened has been */
	const volatile int *stop;	/* ends the waiting */
};

/* 0 or -errno: -ENOENT where this host has no archive yet. */
int follow_open(struct follow *f, const char *dir, const char *host) MUST_CHECK;
void follow_close(struct follow *f);

/*
 * Waits for a file that is not the one that was read last, and opens it: 0, or -errno (-EINTR:
 * *stop is set; -ESTALE: the folder has gone, or is another one by now; -ENOENT: there is no file,
 * where .once says not to wait).
 */
int follow_next_file(struct follow *f) MUST_CHECK;

/*
 * The group that the reader has just handed out was there when the file was opened, with .past set;
 * with .once, the last of these is none.
 */
bool follow_is_past(const struct follow *f);

/*
 * For raw_reader_new(): whole groups of that file, which the reader hands out at once; waits for
 * more. What it then counts as a bad line is not the file's. It ends when another file is current,
 * or as .once says.
 */
struct raw_source follow_source(struct follow *f);
