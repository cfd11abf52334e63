/* SPDX-License-Identifier: BSD-3-Clause */
/* codec.h - interface of a decompressor, which archive/input.c uses to read compressed files */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A file that is read in chunks, without decompression. */
struct packed {
	int fd;
	bool eof;
	size_t at, n;		/* unread part of .bytes */
	char bytes[64u << 10];
};

/* Read the next chunk if .bytes is used up. Returns 1, 0 at the end of the file, or -errno. */
int packed_fill(struct packed *in);

struct codec {
	void *(*open)(void);	/* returns NULL if out of memory */
	/*
	 * Decompress up to n bytes. Returns their number; 0 at the end; -ENODATA if the file ends
	 * too early; -EILSEQ if it is damaged; or another -errno.
	 */
	ssize_t (*read)(void *state, struct packed *in, char *to, size_t n);
	void (*close)(void *state);
};

extern const struct codec codec_zstd, codec_gzip;
