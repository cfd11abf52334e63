/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_deliver.h - deliver records to a sink at a limited rate, retry, and move the cursor */
#pragma once

#include "formats/line/line.h"
#include "send/counters.h"
#include "send/feed_node.h"
#include "send/live_feed.h"

#define SECOND_NS 1000000000

struct feed {
	struct section *section;
	const struct sink *sink;
	struct sink counts;	/* in a dry run: the sink, with functions that deliver nothing */
	const struct feed_node *node;
	struct sink_node sink_node;
	struct follow follow;
	struct live_feed live;
	struct cursor cursor;	/* position of the last delivered record */
	/*
	 * digests for the position of .follow, see struct cursor: .head of the record that ends
	 * there or, for a file of lines, of the first line; .tail of the text before the position
	 */
	uint64_t head, tail;
	bool is_verified;	/* the file matches the cursor's hash, or needs no comparison */
	struct buf path;	/* path of the file that stores the cursor */
	struct counters counters;	/* state of the counters for a sink with .unfolded */
	struct sink_place place;
	/* the record being put as it was read, including types that the sink does not want */
	struct line_whole whole;
	bool takes_live;	/* the sink also gets live samples */
	int64_t read_us;	/* time of the last record read; at first, start time of the feed */
	int64_t put_us;		/* time of the last record put */
	bool has_put;		/* a record was put, by this or an earlier sender */
	size_t n;		/* records put since the last flush */
	/*
	 * position and digests after the last record put; a later record may have been read but not
	 * put
	 */
	uint64_t put_at, put_head, put_tail;
	bool catching_up;	/* records of a backlog are being read */
	/*
	 * .changed: the cursor must be saved; .unsaved: saving it failed; .failing: the last
	 * delivery failed; .has_refused: a refusal was logged
	 */
	bool changed, failing, unsaved, has_refused;
	bool has_shown;		/* a sink with .shown got its first record */
	int64_t saved_ns, second_ns, n_in_second;
	int retry_s;
	/* seconds to wait that the receiver's last answer asks for (Retry-After) */
	uint64_t retry_after_s;
	int64_t due_us;		/* time at which the section's delay of the next flush starts */
	/*
	 * earliest time to retry records that were refused and wait for newer ones, in nanoseconds
	 * of CLOCK_MONOTONIC
	 */
	int64_t retry_ns;
	int n_refusals;		/* how often in a row the receiver has refused a whole batch */
	struct feed_waiting waiting;	/* the result of a dry run */
	void (*look)(void *arg);	/* function called after each backoff; or NULL */
	void *look_arg;
};

/* Sleep for ns nanoseconds, or until a signal stops the sender. */
void feed_rest(const struct feed *f, int64_t ns);
/* Save the cursor if it has changed: at most once per second, or at once if `now` is true. */
void feed_save(struct feed *f, bool now);
/*
 * If the sink was to start with new records only, start it at the first record of the next file
 * instead. Call this before waiting for that file.
 */
void feed_begin_first(struct feed *f);
/* Count a waiting record with time usec; for a dry run. */
void feed_count_one(struct feed *f, int64_t usec);
/*
 * Move the cursor to the end of the last record put since the last flush or, if there is none, to
 * the position of .follow.
 */
void feed_move_on(struct feed *f);
/* Return true if a record with time usec is older than the section's max-age. */
bool feed_is_too_old(const struct feed *f, int64_t usec);
/*
 * Wait as needed to send no more than the section's rate, so that a backlog burdens neither node
 * nor receiver.
 */
void feed_keep_rate(struct feed *f);

/*
 * Store the record as it was read in .whole, and return the record with the counters that the sink
 * wants, see counters_unfold(). Call this before feed_put().
 */
const struct record *feed_unfold(struct feed *f, const struct record *g,
				 const struct record_source *from);

/*
 * Give the sink a record or a line, or, with feed_flush(), let it deliver everything that it was
 * given. Retries until this succeeds, but a sink with .newest_only drops the records, and a sink
 * may defer a delivery. Returns 0, -EINTR if the sender is stopped, or with --once another -errno.
 */
int feed_put(struct feed *f, const struct record *g) MUST_CHECK;
int feed_put_line(struct feed *f, struct str line) MUST_CHECK;
int feed_flush(struct feed *f) MUST_CHECK;
/* Deliver everything, including records that the sink would rather defer. */
int feed_flush_all(struct feed *f) MUST_CHECK;

/*
 * Return how long to wait after a failure, in nanoseconds: a random time of up to 2, 4, 8, ... 128
 * s (at least 1/50 of the limit), so that senders do not retry at the same moment. Set *retry_s to
 * 0 after a success. Uses random(3).
 */
int64_t back_off_ns(int *retry_s);

/*
 * Return how long records of this host are delayed, in microseconds: from 0 to most_us - 1, always
 * the same for a host.
 */
int64_t feed_delay_us(const char *host, int64_t most_us);
