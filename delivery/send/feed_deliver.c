/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_deliver.c - a sink is given records until it has them, at a rate, and how far it is */
#include "send/feed_deliver.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include "base/clock.h"

#define BATCH       64	/* records between two flushes, at most */
#define SAVE_NS     1000000000	/* the cursor is saved no more often, but at the end */
#define FIRST_S     2	/* the first rest after a failure is no longer, */
#define AGAIN_S     128	/* no later one is longer than this */
#define REST_MOST_S 3600	/* no receiver is left alone for longer because it asks so */
#define HELD_MOST   7	/* so often what is refused as a whole is tried again: to AGAIN_S */

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

void feed_save(struct feed *f, bool now)
{
	int64_t at = monotonic_ns();
	if (f->node->once || f->node->dry || !f->changed || (!now && at - f->saved_ns < SAVE_NS))
		return;
	f->saved_ns = at;
	int r = cursor_save(&f->cursor, f->path.p);
	if (r < 0 && !f->unsaved)
		say_error(f->node->sink.listener, "%s: %s; a restart sends again what was sent "
			  "since", f->path.p, strerror(-r));
	f->unsaved = r < 0;
	f->changed = r < 0;
}

void feed_begin_first(struct feed *f)
{
	if (!f->follow.newest)
		return;
	f->follow.newest = false;
	f->changed = true;
	feed_save(f, true);
}

static void works(struct feed *f)
{
	if (f->failing && !f->sink->newest_only)
		say_notice(f->node->sink.listener, "[sink %s] works again", f->section->name);
	f->failing = false;
	f->again_s = f->held = 0;
	f->cursor.why[0] = '\0';
	f->cursor.refused_share = 0;
	f->cursor.success_us = realtime_us();
	f->changed = true;
}

static void keep_why(struct feed *f, struct str why)
{
	str_copy(f->cursor.why, sizeof(f->cursor.why), why);
	for (char *p = f->cursor.why; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = '?';
}

static void fails(struct feed *f, int r, const struct buf *why)
{
	keep_why(f, why->n ? buf_str(why) : str_of(strerror(-r)));
	f->cursor.refused_share = r == -EBADMSG ? 1000 : 0;
	f->held = r == -EBADMSG ? f->held + 1 : 0;
	if (!f->failing && !f->sink->newest_only)
		say_warning(f->node->sink.listener, "[sink %s] %s; it is tried again",
			    f->section->name, f->cursor.why);
	f->failing = true;
	f->cursor.errors++;
	f->changed = true;
	feed_save(f, true);
}

/* Leaves refused records out: the sink would refuse them again, and later records must not wait. */
static void refused(struct feed *f, size_t n, const struct buf *why)
{
	keep_why(f, buf_str(why));
	f->cursor.refused_share = 1000 * n / f->n;
	if (!f->refuses)
		say_warning(f->node->sink.listener, "[sink %s] refused %zu of %zu records, which "
			    "are left out: " STR_FMT, f->section->name, n, f->n,
			    STR_ARG(buf_str(why)));
	f->refuses = true;
	f->cursor.refused += n;
	f->cursor.groups -= n;	/* feed_move_on() counts all */
}

int64_t back_off_ns(int *again_s)
{
	*again_s = *again_s ? 2 * *again_s : FIRST_S;
	if (*again_s > AGAIN_S)
		*again_s = AGAIN_S;
	return (int64_t)*again_s * 1000000 * (20 + random() % 981);
}

/* Retry-After is a lower bound: chance decides how much later, as all nodes have the same one. */
static void back_off(struct feed *f)
{
	int64_t asked_s = f->rest_s < REST_MOST_S ? (int64_t)f->rest_s : REST_MOST_S;
	f->rest_s = 0;
	feed_rest(f, asked_s * SECOND_NS + back_off_ns(&f->again_s));
}

int64_t feed_delay_us(const char *host, int64_t most_us)
{
	return most_us ? (int64_t)(str_hash(str_of(host)) % (uint64_t)most_us) : 0;
}

/* Records that waited for longer go at once, as those of a backlog do. */
static void await_turn(struct feed *f)
{
	int64_t delay = feed_delay_us(f->node->host, f->section->delay_us);
	int64_t left = f->due_us + delay - realtime_us();
	if (left > 0 && !f->node->once)
		feed_rest(f, (left < delay ? left : delay) * 1000);
}

void feed_move_on(struct feed *f)
{
	f->cursor.epoch = f->follow.epoch;
	f->cursor.after = f->follow.after;
	f->cursor.head = f->head;
	f->cursor.offset = f->follow.at;
	f->cursor.groups += f->n;
	f->cursor.usec = f->put_us;
	f->n = 0;
	f->changed = true;
}

/* Whether the receiver took any of the batch, of which it refuses r: else there is no success. */
static bool is_taken(struct feed *f, int r, const struct buf *why)
{
	bool taken = (size_t)r < f->n;
	if (taken)
		works(f);
	if (r > 0)
		refused(f, (size_t)r, why);
	return taken;
}

int feed_flush(struct feed *f)
{
	bool taken = true;
	await_turn(f);
	while (f->n) {
		struct buf why CLEANUP(buf_free) = { 0 };
		f->place.last_try = f->held >= HELD_MOST;
		int r = f->sink->flush ? f->sink->flush(f->section->state, &why) : 0;
		if (r == -EINPROGRESS && !f->place.closing)
			return 0;
		if (r >= 0) {
			taken = is_taken(f, r, &why);
			break;
		}
		fails(f, r, &why);
		if (f->node->once)
			return r;
		if (f->sink->newest_only)
			f->n = 0;	/* not delivered, and not again */
		else if (*f->node->stop)
			return -EINTR;
		else
			back_off(f);
	}
	feed_move_on(f);
	if (!taken) {
		feed_save(f, true);
		back_off(f);
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
	if (++f->n_in_second > f->section->rate)
		feed_rest(f, f->second_ns + SECOND_NS - now);
}

/* A record, or a line where there is none. */
static int give(struct feed *f, const struct record *g, struct str line, struct buf *why)
{
	f->place.epoch = f->follow.epoch;
	f->place.end = f->follow.at;
	return g ? f->sink->put(f->section->state, g, why) :
		   f->sink->put_line(f->section->state, line, why);
}

static int put(struct feed *f, const struct record *g, struct str line)
{
	for (;;) {
		struct buf why CLEANUP(buf_free) = { 0 };
		int r = give(f, g, line, &why);
		if (r >= 0) {
			f->n++;
			f->put_us = g ? g->usec : realtime_us();
			f->due_us = g ? g->usec : 0;
			f->any = true;
			return r > 0 || f->n >= BATCH || f->sink->newest_only ? feed_flush(f) : 0;
		}
		fails(f, r, &why);
		if (f->node->once)
			return r;
		if (f->sink->newest_only)
			return 0;
		if (*f->node->stop)
			return -EINTR;
		back_off(f);
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
	return put(f, g, STR(""));
}

int feed_put_line(struct feed *f, struct str line)
{
	return put(f, NULL, line);
}
