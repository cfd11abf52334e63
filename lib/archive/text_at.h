/* SPDX-License-Identifier: BSD-3-Clause */
/* text_at.h - read text of an archive's file at any offset, also while it grows */
#pragma once

#include <stdint.h>
#include "archive/input.h"

/* A file that is open for reading at any offset. Initialize with zeros and fd = -1. */
struct text_at {
	struct buf path;	/* DIR/HOST/EPOCH without .zst */
	int64_t epoch;
	int fd;			/* descriptor of an uncompressed file, or -1 */
	struct input *input;	/* a compressed file, or NULL */
	uint64_t at;		/* offset up to which .input was read, in the uncompressed text */
};

/* Open the file EPOCH of DIR/HOST. Does nothing if it is open already. Returns 0 or -errno. */
int text_at_open(struct text_at *t, const char *dir, const char *host, int64_t epoch) MUST_CHECK;
void text_at_close(struct text_at *t);

/*
 * Read n bytes at offset `at` of the uncompressed text. Returns their number, which is less than n
 * only at the end of the text, or -errno. Offsets should ascend: to go back, a compressed file is
 * read again from its start.
 */
ssize_t text_at_read(struct text_at *t, char *to, size_t n, uint64_t at);
