/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - a sample becomes the text of a record group, and that a piece of the archive */
#pragma once

#include "archive/archiver.h"
#include "archive/host.h"
#include "recorder/config.h"
#include "recorder/sampler.h"
#include "recorder/spool.h"

/*
 * Record groups of the newest sample. Groups of an agent wait in a file of the spool, in memory
 * that outlives a kill: for ten seconds, or until they can be written.
 */
struct output {
	const struct config *config;
	const struct listener *listener;
	struct sampler *sampler;
	struct spool *spool;
	const struct host *host;
	struct archiver to;
	struct buf schema, below, group;
	uint32_t header_turn;	/* how often the header changed, and */
	uint32_t written_turn;	/* the one that the archive has */
	uint64_t missed;	/* ticks missed since the last group */
};

/* Borrowed, and set before: .config, .listener (or NULL), .sampler, .spool, .host. */
void output_open(struct output *o);
/* An agent's groups outlive a kill from here on; those of the run before are taken over. */
void output_keep(struct output *o);
/* Groups that cannot be written are left in the spool. */
void output_close(struct output *o);

const char *output_version(const struct output *o);	/* of the format, in the header */

/* After a sample: the header follows a new schema, and devices that stand on others than before. */
void output_note_schema(struct output *o, bool new_schema);
void output_put_header(const struct output *o, struct buf *b);
/* The group of the newest sample: ids is "7,8" or nothing, marks are lines "%...". */
void output_put_group(struct output *o, int64_t usec, struct str ids, struct str marks,
		      struct buf *b);
/* The same, as the dialect wants its time, into the archive, or it waits. 0 or -errno. */
int output_write(struct output *o, int64_t usec, struct str ids, struct str marks) MUST_CHECK;
/* The same, after its header. */
void output_print(struct output *o, int64_t usec, struct str ids, struct str marks,
		  struct buf *b);
/* Groups that wait, also those of an agent that was killed, into the archive. 0 or -errno. */
int output_write_left(struct output *o) MUST_CHECK;
