/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - write snapshots to a file, or keep the latest in a ring until a dump */
#pragma once

#include "base/buf.h"
#include "tcp/snapshot.h"

#define RING_MAX (1u << 24)

struct output {
	int fd;
	struct buf wait;	/* bytes waiting to be written */
	unsigned char *ring;
	size_t ring_n;		/* capacity of the ring in entries */
	uint64_t put;		/* number of entries put so far, including overwritten ones */
	bool has_header;	/* the header was written to the file */
	uint64_t stated;	/* number of losses that the file's header states */
	int64_t stated_start;	/* start of the recording according to the file's header */
};

/*
 * Open the output. ring is the number of entries to keep, or 0 for a file that grows. Returns 0 or
 * -errno.
 */
int output_open(struct output *o, const char *path, size_t ring) MUST_CHECK;
void output_put(struct output *o, const struct known_connection *k);
/*
 * Write the waiting bytes. Also write the header if it is new or has changed, but in a pipe, a
 * header that was written cannot be replaced. Returns 0 or -errno.
 */
int output_write(struct output *o, const struct snapshots *s) MUST_CHECK;
/*
 * Replace the contents of the file with the entries in the ring. If the ring has overwritten an
 * entry, the header states no start of the recording, because the first snapshot of a connection
 * may be missing. Returns 0 or -errno.
 */
int output_dump(const struct output *o, const struct snapshots *s) MUST_CHECK;
void output_free(struct output *o);
