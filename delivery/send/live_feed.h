/* SPDX-License-Identifier: BSD-3-Clause */
/* live_feed.h - samples of the live tier, as they come: what is missed is missed */
#pragma once

#include "archive/follow_host.h"
#include "schema/record_source.h"

/* All zero is one that has found nothing yet. */
struct live_feed {
	struct follow follow;
	struct record_source source;
	bool open, reading;
	int wakes;		/* to be read: it can be when there are more; 0: not known */
};

/*
 * The next of those that the agent keeps in RUNTIME-DIR/live, the oldest first. 1 and a record,
 * valid until the next call, and its source; 0: there is none now.
 */
int live_feed_next(struct live_feed *l, const char *runtime_dir, const char *host,
		   const struct record **ret, const struct record_source **from);
void live_feed_end(struct live_feed *l);
