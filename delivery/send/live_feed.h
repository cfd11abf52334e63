/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live_feed.h - read live samples, which the agent takes between archive records; missed ones are
 * lost
 */
#pragma once

#include "archive/follow_host.h"
#include "schema/record_source.h"

/* A reader of live samples. All zero is a valid closed reader. */
struct live_feed {
	struct follow follow;
	struct record_source source;
	bool open, reading;
	/* descriptor to poll, readable when there are more samples; 0: no descriptor yet */
	int wakes;
};

/*
 * Get the next sample that the agent has written to RUNTIME-DIR/live. Returns 1 with the record,
 * which is valid until the next call, and its source; or 0 if there is no newer sample yet.
 */
int live_feed_next(struct live_feed *l, const char *runtime_dir, const char *host,
		   const struct record **ret, const struct record_source **from);
void live_feed_end(struct live_feed *l);
