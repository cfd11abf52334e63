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
	struct sink counts;	/* .dry: copy of the section's sink without its functions */
	const struct feed_node *node;
	struct sink_node sink_node;
	struct follow follow;
	struct live_feed live;
	struct cursor cursor;	/* position of the last delivered record */
	uint64_t head, tail;	/* digests at the position of .follow; see struct cursor */
	/* the file matches the cursor's hash, or need not be compared */
	bool is_verified;
	struct buf path;	/* path of the cursor */
	struct counters counters;	/* state for a sink with .unfolded */
	struct sink_place place;
	struct line_whole whole;	/* the record being put, as it was read */
	bool takes_live;	/* live samples are sent, too */
	int64_t read_us;	/* time of the last record read, or start time of the feed */
	int64_t put_us;		/* time of the last record put */
	bool has_put;		/* a record was put, by this or an earlier sender */
	size_t n;		/* records put since the last flush */
	/* place of the last record put; the next one may have been read and not put */
	uint64_t put_at, put_head, put_tail;
	bool catching_up;	/* records of a backlog are being sent */
	bool changed, failing, unsaved, has_refused;
	bool has_shown;		/* a sink with .shown got its first record */
	int64_t saved_ns, second_ns, n_in_second;
	int retry_s;
	uint64_t retry_after_s;	/* Retry-After of the receiver's last answer, in seconds */
	int64_t due_us;		/* time from which the section's delay counts */
	int64_t retry_ns;	/* when refused records that wait for newer ones are retried */
	int n_refusals;		/* deliveries in a row that the receiver refused completely */
	struct feed_waiting waiting;	/* result with .dry */
	void (*look)(void *arg);	/* called after each backoff; or NULL */
	void *look_arg;
};

/* Sleep for ns nanoseconds; a signal that stops the sender ends the sleep. */
void feed_rest(const struct feed *f, int64_t ns);
/* Save the cursor if it has changed: at most once per second, or now. */
void feed_save(struct feed *f, bool now);
/*
 * Before waiting for the first file: let a sink that would start with the next new record start
 * with the first record of that file.
 */
void feed_begin_first(struct feed *f);
/* Count a waiting record with time usec, for .dry. */
void feed_count_one(struct feed *f, int64_t usec);
/*
 * Move the cursor: everything that was put is delivered, or everything before the place of .follow
 * if nothing was put.
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
 * Keep the record as it was read, and unfold its counters for the sink. Call this before
 * feed_put().
 */
const struct record *feed_unfold(struct feed *f, const struct record *g,
				 const struct record_source *from);

/*
 * Put or deliver, and retry until that succeeds. Returns 0, -EINTR if the sender is stopped, or
 * with --once another -errno.
 */
int feed_put(struct feed *f, const struct record *g) MUST_CHECK;
int feed_put_line(struct feed *f, struct str line) MUST_CHECK;
int feed_flush(struct feed *f) MUST_CHECK;
/* Deliver everything, including what the sink would rather defer. */
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
