/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.h - unfold counters for a sink, and save the state of unfolding next to the sink's
 * cursor
 */
#pragma once

#include "base/listener.h"
#include "schema/record_source.h"
#include "schema/unfold.h"
#include "sinks/sink.h"

/*
 * Unfolding adds up counters across wraps and restarts, see schema/unfold.h. Its state is saved at
 * the start of each archive file. A sender that continues in the middle of a file reads the file
 * again from its start, and so gets the same values as the sender before.
 */
struct counters {
	struct unfold *unfold;	/* NULL if the sink takes the counters unchanged */
	struct buf dir, name;	/* .dir: STATE-DIR/HOST/; .name: name of the cursor's file in it */
	/* epoch of the current archive file, for whose start a state is saved; 0: no file yet */
	int64_t epoch;
	const struct listener *listener;
};

/* Open the counters of the cursor with this path. node must stay valid. */
void counters_open(struct counters *c, const char *cursor, const struct sink_node *node);
void counters_close(struct counters *c);

/*
 * If the sender starts at this file, or reads it again, load the state that was saved for the
 * file's start. For a later file, or if no state was saved, save the present state. Call this
 * before the first record of the file.
 */
void counters_begin_file(struct counters *c, int64_t epoch);
/* Remove the state saved for file `before`. Call this when the saved cursor is in a later file. */
void counters_forget(struct counters *c, int64_t before);

/* Return the record with unfolded counters, or r itself if the sink takes them unchanged. */
const struct record *counters_unfold(struct counters *c, const struct record *r,
				     const struct record_source *from);
