/* SPDX-License-Identifier: BSD-3-Clause */
/* text_at.h - the text of a file of the archive at any place, while it grows or compressed */
#pragma once

#include <stdint.h>
#include "archive/input.h"

/* All zero, but fd = -1, is none. */
struct text_at {
	struct buf path;	/* DIR/HOST/EPOCH, without .zst */
	int64_t epoch;
	int fd;			/* of a plain file, */
	struct input *input;	/* or of a compressed one, */
	uint64_t at;		/* of which that was read so far */
};

/* Another file of DIR/HOST, or the same again. 0 or -errno. */
int text_at_open(struct text_at *t, const char *dir, const char *host, int64_t epoch) MUST_CHECK;
void text_at_close(struct text_at *t);

/* So many bytes from there, fewer at its end. Of a compressed file, forward is fast. */
ssize_t text_at_read(struct text_at *t, char *to, size_t n, uint64_t at);
