/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - where snapshots go: a file, or a ring of the last ones that is dumped into it */
#pragma once

#include "base/buf.h"
#include "tracers/tcp/snapshot.h"

#define RING_MAX (1u << 24)

struct output {
	int fd;
	struct buf wait;	/* bytes to be written */
	unsigned char *ring;
	size_t ring_n;		/* entries that it holds at most */
	uint64_t put;		/* entries so far */
	uint64_t stated;	/* losses that the header in the file has */
};

/* ring: entries, 0 for a file that grows, to which the header is written. 0 or -errno. */
int output_open(struct output *o, const struct snapshots *s, const char *path,
		size_t ring) MUST_CHECK;
void output_put(struct output *o, const struct known *k);
/* All that waits, and the header again where more was lost; a pipe keeps its first header. */
int output_write(struct output *o, const struct snapshots *s) MUST_CHECK;
/* Writes the ring in place of what the file held. */
int output_dump(const struct output *o, const struct snapshots *s) MUST_CHECK;
void output_free(struct output *o);
