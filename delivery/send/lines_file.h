/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_file.h - read one file of lines, plain or compressed, and recognize it by its content */
#pragma once

#include "archive/cursor.h"
#include "archive/input.h"
#include "send/rotated.h"

/* A file of lines that is open for reading. */
struct lines_file {
	int fd;			/* plain file; or -1 */
	struct input *input;	/* compressed file; or NULL */
	struct buf text;	/* bytes that were read but not used yet */
	uint64_t head;		/* digest of the first line; 0: the line is incomplete */
	int64_t inode, mtime_ns;
	/* when opened, the file had the name that writers use, without the suffix of a rotation */
	bool current;
	bool inside_line;	/* the file was opened at an offset inside a line */
};

/*
 * Open a file at the cursor's offset, or at its start if `at` is NULL. Returns 0, -ESTALE if the
 * file is not the one that the cursor describes, -ENOENT if the file was renamed after it was
 * listed, -EFBIG if it takes too much memory to decompress it, -EINTR if *stop is set, or another
 * error of input_open().
 */
int lines_file_open(struct lines_file *ret, const struct rotated_file *from,
		    const struct cursor *at, const volatile int *stop) MUST_CHECK;
void lines_file_close(struct lines_file *f);

/*
 * Append the bytes at offset `at` of a plain file, or the next bytes of a compressed file, to
 * .text. Returns the number of bytes, 0 at the end, or -errno.
 */
ssize_t lines_file_read(struct lines_file *f, uint64_t at) MUST_CHECK;

/* Set .head if it is not set yet. */
void lines_file_read_head(struct lines_file *f);
/* Return true if the file is now shorter than `at` bytes, or begins with another line. */
bool lines_file_was_truncated(const struct lines_file *f, uint64_t at);

/* Return the digest of the end of a text: of its last line, or of the end of a long line. */
uint64_t lines_hash_tail(struct str text);
