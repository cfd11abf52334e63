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
	/* in a dry run: the sink, with functions that deliver nothing */
	struct sink counting_sink;
	const struct feed_node *node;
	struct sink_node sink_node;
	struct follow follow;
	struct live_feed live;
	struct cursor cursor;	/* position of the last delivered record */
	/*
	 * digests of the text at the position of .follow, see struct cursor; .head: of the record
	 * that ends there or, in a file of lines, of the first line; .tail: of the text before the
	 * position
	 */
	uint64_t head, tail;
	/* the archive file matches the cursor's digest, or needs no comparison */
	bool is_verified;
	struct buf path;	/* path of the file that stores the cursor */
	struct counters counters;	/* state of the counters for a sink with .unfolded */
	struct sink_place place;
	/*
	 * the record that is being put, as it was read, including types that the sink does not want
	 */
	struct line_whole whole;
	bool takes_live;	/* the sink also gets live samples */
	/* time of the last record read; before the first record: start time of the feed */
	int64_t read_us;
	int64_t put_us;		/* time of the last record put */
	bool has_put;		/* a record was put, by this sender or an earlier one */
	size_t n;		/* records put since the last flush */
	/*
	 * position and digests after the last record put, because a later record may already have
	 * been read
	 */
	uint64_t put_at, put_head, put_tail;
	bool catching_up;	/* the records being read have waited for the sink */
	/*
	 * .must_save_cursor: the cursor has changed since it was saved; .saving_failed: saving it
	 * failed; .failing: the last delivery failed; .has_refused: a refusal was logged
	 */
	bool must_save_cursor, failing, saving_failed, has_refused;
	/* the sink has got the newest record at the start, for .shown of struct sink */
	bool has_shown;
	int64_t saved_ns, second_ns, n_in_second;
	int retry_s;
	/* seconds that the receiver's last answer asks the sender to wait (Retry-After) */
	uint64_t retry_after_s;
	/*
	 * start of the delay before the next flush, in microseconds since 1970; see feed_delay_us()
	 */
	int64_t delay_start_us;
	/*
	 * when to send refused records again that wait for newer records, in nanoseconds of
	 * CLOCK_MONOTONIC
	 */
	int64_t retry_ns;
	/* how often in a row the receiver has refused all records of a batch */
	int n_refusals;
	struct feed_waiting waiting;	/* the result of a dry run */
	void (*after_backoff)(void *arg);	/* function called after each backoff; or NULL */
	void *backoff_arg;
};

/* Sleep for ns nanoseconds, or until a signal stops the sender. */
void feed_rest(const struct feed *f, int64_t ns);
/* Save the cursor if it has changed: at most once per second, or at once if `now` is true. */
void feed_save(struct feed *f, bool now);
/*
 * If the sink was to start with new records only, let it start at the first record of the next file
 * instead. Call this before waiting for that file.
 */
void feed_begin_first(struct feed *f);
/* Count a record in a dry run, which sends nothing. usec is the time of the record. */
void feed_count_one(struct feed *f, int64_t usec);
/*
 * Move the cursor to the end of the last record put since the last flush or, if there is none, to
 * the position of .follow.
 */
void feed_move_on(struct feed *f);
/* Return true if a record with time usec is older than the section's max-age. */
bool feed_is_too_old(const struct feed *f, int64_t usec);
/*
 * Count a record or line that is about to be put. If the section's rate is exceeded, wait, so that
 * a backlog overloads neither the node nor the receiver.
 */
void feed_keep_rate(struct feed *f);

/*
 * Store record g as it was read in .whole, and return the record with the counters that the sink
 * wants, see counters_unfold(). Call this before feed_put().
 */
const struct record *feed_unfold(struct feed *f, const struct record *g,
				 const struct record_source *from);

/*
 * feed_put(), feed_put_line(): give the sink a record or a line. feed_flush(): let the sink deliver
 * everything that was put. All three retry until the sink succeeds; exceptions: a sink with
 * .newest_only drops the records, and a sink may defer a delivery. They return 0, -EINTR if the
 * sender is stopped, or with --once another -errno.
 */
int feed_put(struct feed *f, const struct record *g) MUST_CHECK;
int feed_put_line(struct feed *f, struct str line) MUST_CHECK;
int feed_flush(struct feed *f) MUST_CHECK;
/* Like feed_flush(), but deliver also records that the sink would rather defer. */
int feed_flush_all(struct feed *f) MUST_CHECK;

/*
 * Return how long to wait after a failure, in nanoseconds: a random time, so that senders do not
 * retry at the same moment. It is at least 1/50 of its limit, which doubles with each failure from
 * 2 s to 128 s. Set *retry_s to 0 after a success. Uses random(3).
 */
int64_t back_off_ns(int *retry_s);

/*
 * Return how long to delay the records of this host, in microseconds: from 0 to most_us - 1, always
 * the same for one host, so that hosts send at different times.
 */
int64_t feed_delay_us(const char *host, int64_t most_us);
