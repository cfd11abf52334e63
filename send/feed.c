/* SPDX-License-Identifier: BSD-3-Clause */
/* feed.c - one sink gets the records of the archive, in order, from where it was */
#include "send/feed.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "formats/raw_read.h"
#include "send/counters.h"

#define WAIT_S      2	/* until the archive's folder is looked for again */
#define FIRST_S     2	/* within so long, what failed is tried again, */
#define AGAIN_S     128	/* and within this in the end */
#define BATCH       64	/* records between two flushes, at most */
#define SAVE_NS     1000000000	/* the cursor is saved no more often, but at the end */
#define SECOND_NS   1000000000

struct feed {
	struct section *section;
	const struct sink *sink;
	struct sink counts;	/* .dry: the section's, without its functions */
	const struct feed_node *node;
	struct sink_node sink_node;
	struct follow follow;
	struct cursor cursor;	/* what is delivered */
	struct buf path;	/* its file */
	struct counters counters;	/* of a sink that wants them unfolded */
	struct sink_place place;
	int64_t put_us;		/* TIME of the last record that was put, */
	bool any;		/* if there is one */
	size_t n;		/* records that were put since the last flush */
	bool catching_up;	/* there was something to catch up with, and still is */
	bool changed, failing, unsaved, refuses;
	bool showed;		/* a record to a sink with .shown */
	int64_t saved_ns, second_ns, n_in_second;
	int again_s;
	struct feed_waiting waiting;	/* .dry */
};

/* Without the caller's own signals: they are what ends it. */
static void rest(const struct feed *f, int64_t ns)
{
	const struct timespec t = { .tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS };
	if (!*f->node->stop)
		ppoll(NULL, 0, &t, &f->node->usual);
}

static void save(struct feed *f, bool now)
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

static void works(struct feed *f)
{
	if (f->failing && !f->sink->newest_only)
		say_notice(f->node->sink.listener, "[sink %s] works again", f->section->name);
	f->failing = false;
	f->again_s = 0;
	f->cursor.why[0] = '\0';
	f->cursor.success_us = realtime_us();
	f->changed = true;
}

static void fails(struct feed *f, int r, const struct buf *why)
{
	struct str text = why->n ? buf_str(why) : str_of(strerror(-r));
	str_copy(f->cursor.why, sizeof(f->cursor.why), text);
	for (char *p = f->cursor.why; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = '?';
	if (!f->failing && !f->sink->newest_only)
		say_warning(f->node->sink.listener, "[sink %s] %s; it is tried again",
			    f->section->name, f->cursor.why);
	f->failing = true;
	f->cursor.errors++;
	f->changed = true;
	save(f, true);
}

/* It would not take them the next time, either: what comes after them is not to wait. */
static void refused(struct feed *f, int n, const struct buf *why)
{
	if (!f->refuses)
		say_warning(f->node->sink.listener, "[sink %s] refused %d of %zu records, which "
			    "are left out: " STR_FMT, f->section->name, n, f->n,
			    STR_ARG(buf_str(why)));
	f->refuses = true;
	f->cursor.refused += (uint64_t)n;
}

/*
 * Up to 2, 4, 8, ... seconds, each moment as likely as any other: senders that failed at once do
 * not come back at once.
 */
static void back_off(struct feed *f)
{
	f->again_s = f->again_s ? 2 * f->again_s : FIRST_S;
	if (f->again_s > AGAIN_S)
		f->again_s = AGAIN_S;
	rest(f, (int64_t)f->again_s * SECOND_NS / 1000 * (20 + random() % 981));
}

/* What is up to here is delivered. */
static void move_on(struct feed *f)
{
	f->cursor.epoch = f->follow.epoch;
	f->cursor.offset = f->follow.at;
	f->cursor.groups += f->n;
	f->cursor.usec = f->put_us;
	f->n = 0;
	f->changed = true;
}

/* 0, -EINTR: it ends now; with --once, what is wrong. */
static int flush(struct feed *f)
{
	while (f->n) {
		struct buf why CLEANUP(buf_free) = { 0 };
		int r = f->sink->flush ? f->sink->flush(f->section->state, &why) : 0;
		if (r == -EINPROGRESS && !f->place.closing)
			return 0;
		if (r > 0)
			refused(f, r, &why);
		if (r >= 0) {
			works(f);
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
	move_on(f);
	return 0;
}

/* Also what the sink would rather have kept for a while. */
static int flush_all(struct feed *f)
{
	f->place.closing = true;
	int r = f->n ? flush(f) : 0;
	f->place.closing = false;
	return r;
}

/* Before the archive is waited for. */
static int on_idle(void *arg)
{
	struct feed *f = arg;
	int r = f->n ? flush(f) : 0;
	save(f, true);
	if (r == 0)
		f->catching_up = false;
	return r;
}

/* What waited goes out at this rate: neither the node nor who receives it is to feel it. */
static void keep_rate(struct feed *f)
{
	int64_t now = monotonic_ns();
	if (now - f->second_ns >= SECOND_NS) {
		f->second_ns = now;
		f->n_in_second = 0;
	}
	if (++f->n_in_second > f->section->rate)
		rest(f, f->second_ns + SECOND_NS - now);
}

static int put_nothing(void *state, const struct record *g, struct buf *why)
{
	(void)state;
	(void)g;
	(void)why;
	return 0;
}

static struct sink counting(const struct sink *s)
{
	struct sink counts = *s;
	counts.open = NULL;
	counts.put = put_nothing;
	counts.flush = NULL;
	counts.close = NULL;
	counts.unfolded = counts.shown = false;
	return counts;
}

static void count(struct feed_waiting *w, int64_t usec)
{
	if (!w->records++)
		w->first_us = usec;
	w->last_us = usec;
}

/* 0, -EINTR, or with --once what is wrong. */
static int put(struct feed *f, const struct record *g)
{
	for (;;) {
		struct buf why CLEANUP(buf_free) = { 0 };
		f->place.epoch = f->follow.epoch;
		f->place.end = f->follow.at;
		int r = f->sink->put(f->section->state, g, &why);
		if (r >= 0) {
			f->n++;
			f->put_us = g->usec;
			f->any = true;
			return r > 0 || f->n >= BATCH || f->sink->newest_only ? flush(f) : 0;
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

static bool is_past(const struct feed *f)
{
	return f->follow.epoch == f->cursor.epoch && f->follow.at <= f->cursor.offset;
}

/* Sampling has its jitter: a tenth too early is on time. The clock may be set back. */
static bool is_wanted(const struct feed *f, const struct record *g)
{
	int64_t interval = f->section->interval_us, since = g->usec - f->put_us;
	bool newest = follow_is_newest(&f->follow);
	if (f->node->once || (f->sink->shown && newest && !f->showed))
		return newest;
	if (is_past(f) || (f->sink->newest_only && f->catching_up && !newest))
		return false;
	return !f->any || since < 0 || since >= interval - interval / 10;
}

static int take_group(struct feed *f, const struct record *g)
{
	int r = 0;
	if (is_wanted(f, g)) {
		if (f->node->dry)
			count(&f->waiting, g->usec);
		else
			keep_rate(f);
		r = *f->node->stop ? -EINTR : put(f, g);
		f->showed = true;
	}
	if (r == 0 && f->n == 0 && !is_past(f))
		move_on(f);
	if (follow_is_newest(&f->follow))
		f->catching_up = false;
	save(f, false);
	return r;
}

static int read_file(struct feed *f)
{
	const struct record *g;
	const struct byte_source bytes = follow_bytes(&f->follow);
	struct record_source source = raw_records(&bytes, NULL);
	int r = 0;
	while (!*f->node->stop && (r = record_next(&source, &g)) > 0) {
		r = take_group(f, counters_unfold(&f->counters, g, &source));
		if (r < 0)
			break;
	}
	if (*f->node->stop)
		r = -EINTR;
	if (r == 0)	/* in this file, nothing comes any more */
		r = flush_all(f);
	else if (r != -EINTR && !f->node->once)
		say_warning(f->node->sink.listener, "%s/%lld: %s", f->follow.path.p,
			    (long long)f->follow.epoch, strerror(-r));
	record_source_end(&source);
	return r == -EINTR || f->node->once ? r : 0;
}

static void say_lost(struct feed *f)
{
	char until[32] = "now";
	int64_t from = f->cursor.usec ? f->cursor.usec / 1000000 : f->cursor.epoch;
	f->follow.gone = false;
	f->cursor.lost_files++;
	f->changed = true;
	if (f->follow.epoch != f->cursor.epoch)
		snprintf(until, sizeof(until), "%lld", (long long)f->follow.epoch);
	say_warning(f->node->sink.listener, "[sink %s] file %lld was removed before it was known "
		    "to be sent whole: records from %lld to %s are lost to it, %llu such files so "
		    "far", f->section->name, (long long)f->cursor.epoch, (long long)from, until,
		    (unsigned long long)f->cursor.lost_files);
}

/* Where it begins that has no cursor: with what is new. */
static void begin(struct feed *f)
{
	bool fresh = f->follow.waited || f->node->new_archive;
	f->cursor.epoch = f->follow.epoch;
	f->cursor.offset = fresh ? 0 : f->follow.live ? (uint64_t)f->follow.whole : INT64_MAX;
	f->follow.newest = false;
	f->changed = true;
	save(f, true);
}

/* It is not what it was: somebody put another in its place. */
static void check_offset(struct feed *f)
{
	const struct follow *from = &f->follow;
	if (from->live && from->epoch == f->cursor.epoch &&
	    f->cursor.offset > (uint64_t)from->whole)
		f->cursor.offset = 0;
}

/* What was saved of a file's begin goes when the cursor, on the disk, is in the next one. */
static void begin_counters(struct feed *f)
{
	int64_t before = f->cursor.epoch;
	if (!f->counters.unfold || f->node->once)
		return;
	counters_begin_file(&f->counters, f->follow.epoch);
	if (before == f->follow.epoch)
		return;
	move_on(f);
	save(f, true);
	if (!f->unsaved)
		counters_forget(&f->counters, before);
}

static int follow_files(struct feed *f)
{
	int r;
	while ((r = follow_next_file(&f->follow)) == 0) {
		if (f->follow.newest)
			begin(f);
		if (f->follow.gone)
			say_lost(f);
		check_offset(f);
		f->catching_up |= f->follow.epoch == f->cursor.epoch || !f->follow.live;
		begin_counters(f);
		r = read_file(f);
		if (r < 0 || f->node->once)
			return r;
	}
	return r;
}

static int wait_for_folder(struct feed *f)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	buf_addf(&path, "%s/%s", f->node->config->dir, f->node->host);
	for (;;) {
		int r = follow_open(&f->follow, buf_str(&path));
		if ((r != -ENOENT && r != -EACCES) || f->follow.once)
			return r;
		f->follow.waited = true;
		rest(f, (int64_t)WAIT_S * SECOND_NS);
		if (*f->node->stop)
			return -EINTR;
	}
}

static int load_cursor(struct feed *f)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	section_put_file(&name, f->section);
	buf_add_char(&name, '\0');
	int r = 0;
	if (f->node->dry)	/* no folder is made */
		buf_addf(&f->path, "%s/%s/%s%c", f->node->config->state_dir, f->node->host,
			 name.p, '\0');
	else
		r = cursor_path(&f->path, f->node->config->state_dir, f->node->host, name.p);
	if (r == 0)
		r = cursor_load(&f->cursor, f->path.p);
	if (r == -EBADMSG)
		say_warning(f->node->sink.listener, "%s: damaged; [sink %s] goes on with what is "
			    "new", f->path.p, f->section->name);
	bool fresh = r == -ENOENT || r == -EBADMSG;
	f->follow.newest = fresh && !f->sink->all;
	f->waiting.fresh = f->follow.newest;
	if (r < 0 && !fresh) {
		say_error(f->node->sink.listener, "%s: %s", f->path.p, strerror(-r));
		return r;
	}
	f->follow.epoch = f->cursor.epoch;
	f->put_us = f->cursor.usec;
	f->any = f->cursor.usec != 0;
	return 0;
}

static int feed(struct feed *f)
{
	int r;
	do {
		r = wait_for_folder(f);
		if (r == 0)
			r = follow_files(f);
		follow_close(&f->follow);
	} while (r == -ESTALE);
	if (flush_all(f) < 0)
		say_notice(f->node->sink.listener, "[sink %s] what was not delivered is sent "
			   "again at the next start", f->section->name);
	save(f, true);
	return r == 0 && f->node->once && !f->any ? -ENOENT : r;
}

static struct feed *new_feed(struct section *s, const struct feed_node *node)
{
	struct feed *f = xrealloc(NULL, sizeof(*f));
	*f = (struct feed){
		.section = s, .sink = s->sink, .node = node, .sink_node = node->sink,
		.follow = {
			.once = node->once || node->dry, .newest = node->once, .stop = node->stop,
			.idle = on_idle, .arg = f, .fd = -1, .dirfd = -1, .inotify = -1,
		},
	};
	f->sink_node.types = s->types;
	f->sink_node.labels = s->labels;
	f->sink_node.sent = &f->cursor.bytes;
	f->sink_node.dir = node->config->dir;
	f->sink_node.state_dir = node->config->state_dir;
	f->sink_node.place = &f->place;
	return f;
}

static void free_feed(struct feed *f)
{
	counters_close(&f->counters);
	buf_free(&f->path);
	free(f);
}

int feed_count(struct section *s, const struct feed_node *node, struct feed_waiting *ret)
{
	struct feed *f = new_feed(s, node);
	f->counts = counting(s->sink);
	f->sink = &f->counts;
	int r = load_cursor(f);
	if (r == 0)
		r = feed(f);
	if (r == 0 || r == -ENOENT)	/* no more files, or none yet */
		*ret = f->waiting;
	free_feed(f);
	return r == -ENOENT ? 0 : r;
}

int feed_run(struct section *s, const struct feed_node *node)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	struct feed *f = new_feed(s, node);
	srandom((unsigned)(getpid() ^ monotonic_ns()));
	int r = node->once ? 0 : load_cursor(f);
	if (s->sink->unfolded)
		counters_open(&f->counters, node->once ? "/" : f->path.p, &f->sink_node);
	if (r == 0 && s->sink->open)
		r = s->sink->open(s->state, &f->sink_node, &why);
	if (r < 0 && why.n)
		say_error(node->sink.listener, "[sink %s] " STR_FMT, s->name,
			  STR_ARG(buf_str(&why)));
	if (r == 0) {
		r = feed(f);
		if (r < 0 && r != -EINTR && !f->failing)
			say_error(node->sink.listener, "%s/%s: %s", node->config->dir, node->host,
				  strerror(-r));
		if (s->sink->close)
			s->sink->close(s->state);
	}
	free_feed(f);
	return r == -EINTR ? 0 : r;
}
