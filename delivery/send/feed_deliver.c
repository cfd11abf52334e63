/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_deliver.c - deliver records to a sink at a limited rate, retry, and move the cursor */
#include "send/feed_deliver.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include "base/clock.h"

#define BATCH       64	/* largest number of records between two flushes */
/* shortest time between two saves of the cursor, except at the end, in nanoseconds */
#define SAVE_INTERVAL_NS  1000000000
#define BACKOFF_FIRST_S   2	/* longest backoff after the first failure, in seconds */
#define BACKOFF_MAX_S     128	/* longest backoff after later failures, in seconds */
/* longest wait that a receiver can demand (Retry-After), in seconds */
#define RETRY_AFTER_MAX_S 3600
/*
 * once the receiver has refused all records of a batch this many times in a row, add newer records
 * to the batch; the backoff has then reached its limit
 */
#define REFUSALS_ALONE  7

void feed_rest(const struct feed *f, int64_t ns)
{
	const struct timespec t = { .tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS };
	if (!*f->node->stop)
		ppoll(NULL, 0, &t, &f->node->usual);
}

void feed_count_one(struct feed *f, int64_t usec)
{
	struct feed_waiting *w = &f->waiting;
	if (!w->records++)
		w->first_us = usec;
	w->last_us = usec;
}

bool feed_is_too_old(const struct feed *f, int64_t usec)
{
	return f->section->max_age_us && realtime_us() - usec > f->section->max_age_us;
}

void feed_save(struct feed *f, bool now)
{
	int64_t at = monotonic_ns();
	if (f->node->once || f->node->dry || !f->must_save_cursor ||
	    (!now && at - f->saved_ns < SAVE_INTERVAL_NS))
		return;
	f->saved_ns = at;
	int r = cursor_save(&f->cursor, f->path.p);
	if (r < 0 && !f->saving_failed)
		say_error(f->node->sink.listener, "%s: %s; a restart would repeat what is sent "
			  "from now on", f->path.p, strerror(-r));
	f->saving_failed = r < 0;
	f->must_save_cursor = r < 0;
}

void feed_begin_first(struct feed *f)
{
	if (!f->follow.newest)
		return;
	f->follow.newest = false;
	f->must_save_cursor = true;
	feed_save(f, true);
}

static void feed_note_success(struct feed *f)
{
	if (f->failing && !f->sink->newest_only)
		say_notice(f->node->sink.listener, "[sink %s] works again", f->section->name);
	f->failing = false;
	f->retry_s = f->n_refusals = 0;
	f->cursor.why[0] = '\0';
	f->cursor.refused_share = 0;
	f->cursor.success_us = realtime_us();
	f->must_save_cursor = true;
}

/*
 * Store the reason of a failure in the cursor, for nodometer status. The cursor has less room than
 * the log, so remove the URL at the front of a long reason.
 */
static void feed_keep_error(struct feed *f, struct str why)
{
	struct str rest = why, url;
	if (why.n >= sizeof(f->cursor.why) && str_starts(why, STR("http")) &&
	    str_take_word(&rest, &url) && str_ends(url, STR(":")))
		why = str_trim(rest);
	str_copy(f->cursor.why, sizeof(f->cursor.why), why);
	for (char *p = f->cursor.why; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = '?';
}

static void feed_note_failure(struct feed *f, int r, const struct buf *why)
{
	struct str text = why->n ? buf_str(why) : str_of(strerror(-r));
	feed_keep_error(f, text);
	f->cursor.refused_share = r == -EBADMSG ? 1000 : 0;
	f->n_refusals = r == -EBADMSG ? f->n_refusals + 1 : 0;
	if (!f->failing && !f->sink->newest_only)
		say_warning(f->node->sink.listener, "[sink %s] " STR_FMT "; retrying",
			    f->section->name, STR_ARG(text));
	f->failing = true;
	f->cursor.errors++;
	f->must_save_cursor = true;
	feed_save(f, true);
}

/* Drop refused records: the sink would refuse them again, and later records must not wait. */
static void feed_drop_refused(struct feed *f, size_t n, const struct buf *why)
{
	feed_keep_error(f, buf_str(why));
	f->cursor.refused_share = 1000 * n / f->n;
	if (!f->has_refused)
		say_warning(f->node->sink.listener, "[sink %s] refused %zu of %zu records, which "
			    "are left out: " STR_FMT, f->section->name, n, f->n,
			    STR_ARG(buf_str(why)));
	f->has_refused = true;
	f->cursor.refused += n;
	f->cursor.groups -= n;	/* feed_move_on() counts all records as delivered */
}

int64_t back_off_ns(int *retry_s)
{
	*retry_s = *retry_s ? 2 * *retry_s : BACKOFF_FIRST_S;
	if (*retry_s > BACKOFF_MAX_S)
		*retry_s = BACKOFF_MAX_S;
	return (int64_t)*retry_s * 1000000 * (20 + random() % 981);
}

/*
 * Wait after a failure. Retry-After is the least time to wait, and the same for all nodes, so add a
 * random time.
 */
static void feed_back_off(struct feed *f)
{
	int64_t least_s = f->retry_after_s < RETRY_AFTER_MAX_S ? (int64_t)f->retry_after_s :
								 RETRY_AFTER_MAX_S;
	f->retry_after_s = 0;
	feed_rest(f, least_s * SECOND_NS + back_off_ns(&f->retry_s));
	if (f->after_backoff)
		f->after_backoff(f->backoff_arg);
}

static int feed_retry_later(struct feed *f)
{
	f->retry_ns = monotonic_ns() + back_off_ns(&f->retry_s);
	return 0;
}

int64_t feed_delay_us(const char *host, int64_t most_us)
{
	return most_us ? (int64_t)(str_hash(str_of(host)) % (uint64_t)most_us) : 0;
}

/*
 * Wait until this host's delay (see feed_delay_us()), counted from f->delay_start_us, has passed.
 */
static void feed_wait_delay(struct feed *f)
{
	int64_t delay = feed_delay_us(f->node->host, f->section->delay_us);
	int64_t left = f->delay_start_us + delay - realtime_us();
	if (left > 0 && !f->node->once && !f->node->dry)
		feed_rest(f, (left < delay ? left : delay) * 1000);
}

void feed_move_on(struct feed *f)
{
	f->cursor.epoch = f->follow.epoch;
	f->cursor.after = f->follow.after;
	bool unput = f->n && f->put_at < f->follow.at;
	f->cursor.head = unput ? f->put_head : f->head;
	f->cursor.tail = unput ? f->put_tail : f->tail;
	f->cursor.offset = unput ? f->put_at : f->follow.at;
	f->cursor.groups += f->n;
	f->cursor.usec = f->put_us;
	f->n = 0;
	f->must_save_cursor = true;
}

/*
 * Handle a flush() in which the receiver refused r of the f->n records of the batch. Returns true
 * if the receiver accepted at least one record; otherwise the delivery counts as failed.
 */
static bool feed_note_outcome(struct feed *f, int r, const struct buf *why)
{
	bool taken = (size_t)r < f->n;
	if (taken)
		feed_note_success(f);
	if (r > 0)
		feed_drop_refused(f, (size_t)r, why);
	return taken;
}

/*
 * Return true if refused records should be sent again together with newer records: if the receiver
 * accepts a newer one, it must have refused the older ones for their content.
 */
static bool feed_waits_for_newer(const struct feed *f)
{
	return f->n_refusals >= REFUSALS_ALONE && f->n < BATCH && !f->place.closing &&
	       !f->node->once;
}

int feed_flush(struct feed *f)
{
	bool taken = true;
	if (feed_waits_for_newer(f) && monotonic_ns() < f->retry_ns)
		return 0;
	feed_wait_delay(f);
	while (f->n) {
		struct buf why CLEANUP(buf_free) = { 0 };
		f->place.tries = (unsigned)f->n_refusals;
		f->place.last_try = feed_is_too_old(f, f->put_us);
		int r = f->sink->flush ? f->sink->flush(f->section->state, &why) : 0;
		if (r == -EINPROGRESS && !f->place.closing)
			return 0;
		if (r >= 0) {
			taken = feed_note_outcome(f, r, &why);
			break;
		}
		feed_note_failure(f, r, &why);
		if (f->node->once)
			return r;
		if (f->sink->newest_only)
			f->n = 0;	/* dropped records are neither delivered nor retried */
		else if (*f->node->stop)
			return -EINTR;
		else if (feed_waits_for_newer(f))
			return feed_retry_later(f);
		else
			feed_back_off(f);
	}
	feed_move_on(f);
	if (!taken) {
		feed_save(f, true);
		feed_back_off(f);
	}
	return 0;
}

int feed_flush_all(struct feed *f)
{
	f->place.closing = true;
	int r = f->n ? feed_flush(f) : 0;
	f->place.closing = false;
	return r;
}

void feed_keep_rate(struct feed *f)
{
	int64_t now = monotonic_ns();
	if (now - f->second_ns >= SECOND_NS) {
		f->second_ns = now;
		f->n_in_second = 0;
	}
	if (f->n_in_second++ < section_rate(f->section))
		return;
	feed_rest(f, f->second_ns + SECOND_NS - now);
	f->second_ns = monotonic_ns();
	f->n_in_second = 1;
}

/* Give the sink a record, or a line if g is NULL. */
static int feed_give(struct feed *f, const struct record *g, struct str line, struct buf *why)
{
	f->place.epoch = f->follow.epoch;
	f->place.end = f->follow.at;
	return g ? f->sink->put(f->section->state, g, why) :
		   f->sink->put_line(f->section->state, line, why);
}

static int feed_put_any(struct feed *f, const struct record *g, struct str line)
{
	for (;;) {
		struct buf why CLEANUP(buf_free) = { 0 };
		int r = feed_give(f, g, line, &why);
		if (r >= 0) {
			f->n++;
			f->put_us = g ? g->usec : f->read_us;
			f->delay_start_us = g ? g->usec : 0;
			f->put_at = f->follow.at;
			f->put_head = f->head;
			f->put_tail = f->tail;
			f->has_put = true;
			return r > 0 || f->n >= BATCH || f->sink->newest_only ? feed_flush(f) : 0;
		}
		feed_note_failure(f, r, &why);
		if (f->node->once)
			return r;
		if (f->sink->newest_only)
			return 0;
		if (*f->node->stop)
			return -EINTR;
		feed_back_off(f);
	}
}

const struct record *feed_unfold(struct feed *f, const struct record *g,
				 const struct record_source *from)
{
	f->whole.from = from;
	f->whole.record = f->place.live ? NULL : g;
	return counters_unfold(&f->counters, g, from);
}

int feed_put(struct feed *f, const struct record *g)
{
	return feed_put_any(f, g, STR(""));
}

int feed_put_line(struct feed *f, struct str line)
{
	return feed_put_any(f, NULL, line);
}
