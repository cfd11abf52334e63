/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.h - what unfolds a sink's counters, kept beside its cursor across restarts */
#pragma once

#include "base/listener.h"
#include "schema/record_source.h"
#include "schema/unfold.h"
#include "sinks/sink.h"

/*
 * The state at the begin of each file of the archive is saved; whoever starts in the middle of
 * one reads it from its begin, and so comes to the same values.
 */
struct counters {
	struct unfold *unfold;	/* NULL: the sink takes records as they are */
	struct buf dir, name;	/* STATE-DIR/HOST, and the cursor's own name in it */
	int64_t epoch;		/* of the file whose begin is saved, 0: none */
	const struct listener *listener;
};

/* For a cursor of this path; node stays valid. */
void counters_open(struct counters *c, const char *cursor, const struct sink_node *node);
void counters_close(struct counters *c);

/* Before the first record of a file: loads what was saved of it, or saves it. */
void counters_begin_file(struct counters *c, int64_t epoch);
/* After the cursor is in this file: what was saved of the one before it goes. */
void counters_forget(struct counters *c, int64_t before);

const struct record *counters_unfold(struct counters *c, const struct record *r,
				     const struct record_source *from);
