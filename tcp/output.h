/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - write snapshots to a file, or keep the latest in a ring buffer */
#pragma once

#include "base/buf.h"
#include "tcp/snapshot.h"

#define RING_MAX (1u << 24)	/* largest capacity of a ring buffer, in entries */

struct output {
	int fd;
	struct buf wait;	/* bytes waiting to be written */
	unsigned char *ring;
	size_t ring_n;		/* capacity of the ring buffer, in entries */
	uint64_t put;		/* number of entries ever added, including overwritten ones */
	bool has_header;	/* the header was written to the file */
	uint64_t stated;	/* moments missed and snapshots lost, in the last written header */
	int64_t stated_start;	/* start of the recording in the last written header */
};

/*
 * Open the output. ring: number of entries to keep in memory, or 0 to write all entries to the
 * file. Returns 0 or -errno.
 */
int output_open(struct output *o, const char *path, size_t ring) MUST_CHECK;
void output_put(struct output *o, const struct known_connection *k);
/*
 * Write the header if it is new or has changed, and the waiting bytes. In a pipe, the first header
 * cannot be replaced. Does nothing with a ring buffer: see output_dump(). Returns 0 or -errno; the
 * waiting bytes are dropped even after an error.
 */
int output_write(struct output *o, const struct snapshots *s) MUST_CHECK;
/*
 * Replace the contents of the file with the entries in the ring buffer. If entries were
 * overwritten, leave the start of the recording out of the header, because the first snapshot of a
 * connection may be missing. Returns 0 or -errno.
 */
int output_dump(const struct output *o, const struct snapshots *s) MUST_CHECK;
void output_free(struct output *o);
