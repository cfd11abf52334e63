/* SPDX-License-Identifier: BSD-3-Clause */
/* codec.h - one way of compression, as archive/input.c reads through it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The bytes of the file as they are on disk. */
struct packed {
	int fd;
	bool eof;
	size_t at, n;		/* the rest of .bytes */
	char bytes[64u << 10];
};

/* Fills .bytes if nothing is left in it: 1, 0 at the end of the file, or -errno. */
int packed_fill(struct packed *in);

struct codec {
	void *(*open)(void);	/* NULL: out of memory */
	/* n bytes at most, 0 at the end, -ENODATA cut off, -EILSEQ damaged, or -errno */
	ssize_t (*read)(void *state, struct packed *in, char *to, size_t n);
	void (*close)(void *state);
};

extern const struct codec codec_zstd, codec_gzip;
