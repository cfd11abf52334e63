/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_deliver.h - a sink is given records until it has them, at a rate, and how far it is */
#pragma once

#include "formats/line/line.h"
#include "send/counters.h"
#include "send/feed_node.h"
#include "send/live_feed.h"

#define SECOND_NS 1000000000

struct feed {
	struct section *section;
	const struct sink *sink;
	struct sink counts;	/* .dry: the section's, without its functions */
	const struct feed_node *node;
	struct sink_node sink_node;
	struct follow follow;
	struct live_feed live;
	struct cursor cursor;	/* the delivered part */
	uint64_t head;		/* at the place that .follow is at, see struct cursor */
	bool known;		/* the file is the one that the cursor speaks of, up to there */
	struct buf path;	/* path of that file */
	struct counters counters;	/* of a sink that wants them unfolded */
	struct sink_place place;
	struct line_whole whole;	/* likewise */
	bool takes_live;	/* samples of the live tier, too */
	int64_t read_us;	/* TIME of the last record that was read, or when it began */
	int64_t put_us;		/* TIME of the last record that was put, */
	bool any;		/* if there is one */
	size_t n;		/* records that were put since the last flush */
	bool catching_up;	/* there was something to catch up with, and still is */
	bool changed, failing, unsaved, refuses;
	bool showed;		/* a record to a sink with .shown */
	int64_t saved_ns, second_ns, n_in_second;
	int again_s;
	uint64_t rest_s;	/* so long the receiver asks to rest, by its last answer */
	int64_t due_us;		/* the moment from which .delay_us of the section counts */
	int held;		/* deliveries in a row of which the receiver took nothing */
	struct feed_waiting waiting;	/* .dry */
};

/* Without the caller's own signals: they are what ends it. */
void feed_rest(const struct feed *f, int64_t ns);
/* The cursor, if it has changed: once in a second, or now. */
void feed_save(struct feed *f, bool now);
/* Before a wait for the first file: a sink that was to begin with what is new begins with that. */
void feed_begin_first(struct feed *f);
/* With .dry: one more waits, of this time. */
void feed_count_one(struct feed *f, int64_t usec);
/* Moves the cursor: all up to here is delivered. */
void feed_move_on(struct feed *f);
/*
 * Delivers a backlog at no more than the section's rate, so that neither node nor receiver feels
 * it.
 */
void feed_keep_rate(struct feed *f);

/* Before feed_put(): keeps the record as it was read, and unfolds its counters for the sink. */
const struct record *feed_unfold(struct feed *f, const struct record *g,
				 const struct record_source *from);

/* Each until it is done: 0, -EINTR: it ends now; with --once, what is wrong. */
int feed_put(struct feed *f, const struct record *g) MUST_CHECK;
int feed_put_line(struct feed *f, struct str line) MUST_CHECK;
int feed_flush(struct feed *f) MUST_CHECK;
/* Also what the sink would rather have kept for a while. */
int feed_flush_all(struct feed *f) MUST_CHECK;

/*
 * For how many nanoseconds to rest after a failure: up to 2, 4, 8, ... 128 seconds, each moment as
 * likely as any other but the first fiftieth, so that not all senders try again at the same moment.
 * *again_s is 0 after a success. By random(3).
 */
int64_t back_off_ns(int *again_s);

/* How long a record of this host waits, of a delay: 0 to most_us - 1, always the same. */
int64_t feed_delay_us(const char *host, int64_t most_us);
