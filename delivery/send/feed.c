/* SPDX-License-Identifier: BSD-3-Clause */
/* feed.c - give a sink the records of the archive, in order, starting at the sink's cursor */
#include "send/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/users.h"
#include "formats/raw_read.h"
#include "send/feed_deliver.h"
#include "send/lines_feed.h"

#define OPEN_RETRY_S      2	/* seconds between two attempts to open the archive's folder */

static int feed_put_nothing(void *state, const struct record *g, struct buf *why)
{
	(void)state;
	(void)g;
	(void)why;
	return 0;
}

static int feed_put_no_line(void *state, struct str line, struct buf *why)
{
	(void)state;
	(void)line;
	(void)why;
	return 0;
}

static struct sink feed_counting_sink(const struct sink *s)
{
	struct sink counts = *s;
	counts.open = NULL;
	counts.put = feed_put_nothing;
	counts.put_line = feed_put_no_line;
	counts.flush = NULL;
	counts.close = NULL;
	counts.unfolded = counts.shown = false;
	return counts;
}

static bool feed_is_delivered(const struct feed *f)
{
	return f->follow.epoch == f->cursor.epoch && f->follow.at <= f->cursor.offset &&
	       f->follow.at <= f->follow.unchanged_end;
}

/*
 * Return true if the section's interval has passed since the last record that was put. Nine tenths
 * of the interval are enough, because sampling has jitter. If the clock was set back, the interval
 * counts as passed.
 */
static bool feed_interval_has_passed(const struct feed *f, const struct record *g)
{
	int64_t interval = f->section->interval_us, since = g->usec - f->put_us;
	return !f->has_put || since < 0 || since >= interval - interval / 10;
}

static bool feed_wants_record(const struct feed *f, const struct record *g)
{
	bool newest = follow_is_newest(&f->follow);
	if (f->node->once || (f->sink->shown && newest && !f->has_shown))
		return newest;
	if (feed_is_delivered(f) || (f->sink->newest_only && f->catching_up && !newest))
		return false;
	return feed_interval_has_passed(f, g);
}

/*
 * Return true if a live record may be sent. A sink that shows only the newest values gets no live
 * record older than two live intervals.
 */
static bool feed_wants_live(const struct feed *f, const struct record *g)
{
	int64_t most = 2 * f->node->config->live_us;
	return g->usec > f->read_us &&
	       (!f->sink->newest_only || realtime_us() - g->usec < most);
}

/*
 * Send live records. Call this after all archive records were sent, so that times do not go back.
 */
static int feed_send_live(struct feed *f)
{
	const struct record *g;
	const struct record_source *from;
	int r = 0;
	if (!f->takes_live)
		return 0;
	while (r == 0 && !*f->node->stop &&
	       live_feed_next(&f->live, f->node->config->runtime_dir, f->node->host, &g, &from))
		if (feed_wants_live(f, g)) {
			f->read_us = g->usec;
			f->place.live = true;
			g = feed_unfold(f, g, from);
			r = feed_interval_has_passed(f, g) ? feed_put(f, g) : 0;
			f->place.live = false;
		}
	f->follow.wake_fd = f->live.open ? f->live.wakes : -1;
	return r;
}

/* Deliver buffered records, then live records, before waiting for new records in the archive. */
static int feed_on_idle(void *arg)
{
	struct feed *f = arg;
	feed_begin_first(f);
	int r = f->n ? feed_flush(f) : 0;
	if (r == 0)
		r = feed_send_live(f);
	if (r == 0 && f->n)
		r = feed_flush(f);
	feed_save(f, true);
	if (r == 0)
		f->catching_up = false;
	return r;
}

/* Return true, and count the record, if the record is older than the section's max-age. */
static bool feed_leaves_out(struct feed *f, const struct record *g)
{
	if (f->node->once || !feed_is_too_old(f, g->usec))
		return false;
	f->cursor.too_old++;
	return true;
}

static int feed_handle_record(struct feed *f, const struct record *g)
{
	int r = 0;
	f->read_us = g->usec;
	f->head = f->follow.digest;
	if (feed_wants_record(f, g) && !feed_leaves_out(f, g)) {
		if (f->node->dry)
			feed_count_one(f, g->usec);
		else
			feed_keep_rate(f);
		r = *f->node->stop ? -EINTR : feed_put(f, g);
		f->has_shown = true;
	}
	if (r == 0 && f->n == 0 && !feed_is_delivered(f))
		feed_move_on(f);
	if (follow_is_newest(&f->follow))
		f->catching_up = false;
	feed_save(f, false);
	return r;
}

/*
 * Return true if, since the cursor was saved, the archive file was truncated and the part before
 * the cursor's offset rewritten. All records of the file are then sent again, because it is unknown
 * which have changed.
 */
static bool feed_file_was_rewritten(struct feed *f)
{
	struct cursor *c = &f->cursor;
	if (f->is_verified || f->follow.at < c->offset)
		return false;
	f->is_verified = true;
	if (f->follow.at == c->offset && f->follow.digest == c->head)
		return false;
	say_warning(f->node->sink.listener, "[sink %s] file %lld was changed before byte %llu: its "
		    "records are sent again", f->section->name, (long long)c->epoch,
		    (unsigned long long)c->offset);
	c->offset = 0;
	follow_again(&f->follow);
	return true;
}

static int feed_read_file(struct feed *f)
{
	const struct record *g;
	const struct byte_source bytes = follow_bytes(&f->follow);
	struct record_source source = raw_records(&bytes, NULL);
	int r = 0;
	raw_copy_source(&f->whole.copy);
	while (!*f->node->stop && (r = record_next(&source, &g)) > 0) {
		if (feed_file_was_rewritten(f)) {
			r = 0;
			break;
		}
		r = feed_handle_record(f, feed_unfold(f, g, &source));
		if (r < 0)
			break;
	}
	if (*f->node->stop)
		r = -EINTR;
	if (r == 0) {	/* the file is complete, or --once has reached the end of the archive */
		f->delay_start_us = f->follow.live ? realtime_us() : 0;
		r = feed_flush_all(f);
	}
	else if (r != -EINTR && !f->node->once)
		say_warning(f->node->sink.listener, "%s/%lld: %s", f->follow.path.p,
			    (long long)f->follow.epoch, strerror(-r));
	record_source_end(&source);
	return r == -EINTR || f->node->once ? r : 0;
}

static void feed_warn_lost_file(struct feed *f)
{
	char until[32] = "now";
	int64_t from = f->cursor.usec ? f->cursor.usec / 1000000 : f->cursor.epoch;
	f->follow.has_gap = false;
	f->cursor.lost_files++;
	f->must_save_cursor = true;
	if (f->follow.epoch != f->cursor.epoch)
		snprintf(until, sizeof(until), "%lld", (long long)f->follow.epoch);
	say_warning(f->node->sink.listener, "[sink %s] file %lld was removed before all of it was "
		    "sent: records from %lld to %s are lost to this sink; %llu files so far",
		    f->section->name, (long long)f->cursor.epoch, (long long)from, until,
		    (unsigned long long)f->cursor.lost_files);
}

/* Set the cursor of a sink that had none, so that the sink gets only new records. */
static void feed_start_with_new(struct feed *f)
{
	f->cursor.epoch = f->follow.epoch;
	f->cursor.offset = f->follow.live ? (uint64_t)f->follow.complete_end : INT64_MAX;
	f->follow.newest = false;
	f->must_save_cursor = true;
	feed_save(f, true);
}

/*
 * Check the cursor's offset: if the archive file is shorter, another file has replaced it, so
 * restart at offset 0.
 */
static void feed_check_offset(struct feed *f)
{
	const struct follow *from = &f->follow;
	if (from->live && from->epoch == f->cursor.epoch &&
	    f->cursor.offset > (uint64_t)from->complete_end) {
		say_warning(f->node->sink.listener, "[sink %s] file %lld is shorter than the %llu "
			    "bytes of it that were sent: its records are sent again",
			    f->section->name, (long long)f->cursor.epoch,
			    (unsigned long long)f->cursor.offset);
		f->cursor.offset = 0;
	}
	f->head = 0;
	f->is_verified = from->epoch != f->cursor.epoch || !f->cursor.offset || !f->cursor.head;
}

/*
 * Save the state of the counters at the start of a file. Remove the state of the earlier file once
 * the saved cursor is in the new file.
 */
static void feed_begin_counters(struct feed *f)
{
	int64_t before = f->cursor.epoch;
	if (!f->counters.unfold || f->node->once)
		return;
	counters_begin_file(&f->counters, f->follow.epoch);
	if (before == f->follow.epoch)
		return;
	feed_move_on(f);
	feed_save(f, true);
	if (!f->saving_failed)
		counters_forget(&f->counters, before);
}

static int feed_follow_files(struct feed *f)
{
	int r;
	while ((r = follow_next_file(&f->follow)) == 0) {
		if (f->follow.newest)
			feed_start_with_new(f);
		if (f->follow.has_gap)
			feed_warn_lost_file(f);
		feed_check_offset(f);
		f->catching_up |= !f->cursor.epoch || f->follow.epoch == f->cursor.epoch ||
				  !f->follow.live;
		feed_begin_counters(f);
		r = feed_read_file(f);
		if (r < 0 || f->node->once)
			return r;
	}
	return r;
}

static void feed_put_user(struct buf *b, uid_t uid)
{
	if (!users_add_name(b, uid))
		buf_addf(b, "user %u", (unsigned)uid);
}

/* Append the path that could not be read, and why. */
static void feed_put_failure(struct buf *b, const struct feed *f, int error)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct stat st;
	buf_addf(&path, "%s/%s", f->node->config->dir, f->node->host);
	if (f->follow.unopened)
		buf_addf(&path, "/%lld", (long long)f->follow.unopened);
	buf_addf(b, STR_FMT ": %s", STR_ARG(buf_str(&path)), strerror(-error));
	buf_add_char(&path, '\0');
	if (error != -EACCES || stat(path.p, &st) < 0)
		return;
	buf_add(b, STR(" (owned by "));
	feed_put_user(b, st.st_uid);
	buf_add(b, STR(", read as "));
	feed_put_user(b, geteuid());
	buf_add_char(b, ')');
}

static void feed_report_failure(const struct feed *f, int error)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	feed_put_failure(&why, f, error);
	say_error(f->node->sink.listener, "[sink %s] " STR_FMT, f->section->name,
		  STR_ARG(buf_str(&why)));
}

static int feed_wait_for_folder(struct feed *f)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	bool is_denied = false;
	buf_addf(&path, "%s/%s", f->node->config->dir, f->node->host);
	for (;;) {
		int r = follow_open(&f->follow, buf_str(&path));
		if ((r != -ENOENT && r != -EACCES) || f->follow.once)
			return r;
		if (r == -EACCES && !is_denied)
			feed_report_failure(f, r);
		is_denied = r == -EACCES;
		if (r == -ENOENT)
			feed_begin_first(f);
		feed_rest(f, (int64_t)OPEN_RETRY_S * SECOND_NS);
		if (*f->node->stop)
			return -EINTR;
	}
}

/*
 * Restart a sink whose cursor is damaged, because it is unknown which records were sent. For a file
 * of lines, it is unknown which rotated files were sent, so these files are skipped and reported as
 * lost.
 */
static void feed_restart_damaged(struct feed *f)
{
	bool lines = f->section->lines[0];
	say_warning(f->node->sink.listener, "%s: damaged; [sink %s] starts over with %s, since any "
		    "record may be missing", f->path.p, f->section->name,
		    f->sink->newest_only ? "the newest record" :
		    lines ? "the first line" : "the oldest file");
	f->cursor.epoch = lines ? -1 : 0;
	f->cursor.errors++;
}

int feed_load_cursor(struct feed *f)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	section_put_file(&name, f->section);
	buf_add_char(&name, '\0');
	int r = 0;
	if (f->node->dry)	/* a dry run makes no folder */
		buf_addf(&f->path, "%s/%s/%s%c", f->node->config->state_dir, f->node->host,
			 name.p, '\0');
	else
		r = cursor_path(&f->path, f->node->config->state_dir, f->node->host, name.p);
	if (r == 0)
		r = cursor_load(&f->cursor, f->path.p);
	if (r == -EBADMSG)
		feed_restart_damaged(f);
	f->follow.newest = !f->sink->all &&
			   (r == -ENOENT || (r == -EBADMSG && f->sink->newest_only));
	f->waiting.fresh = f->follow.newest;
	if (r < 0 && r != -ENOENT && r != -EBADMSG) {
		say_error(f->node->sink.listener, "%s: %s", f->path.p, strerror(-r));
		return r;
	}
	f->cursor.receiver = 0;	/* a sink with several URLs sets the number of its receiver later */
	f->follow.epoch = f->cursor.epoch;
	f->follow.after = f->cursor.after;
	f->put_us = f->cursor.usec;
	f->has_put = f->cursor.usec != 0;
	return 0;
}

static int feed_follow(struct feed *f)
{
	int r = f->section->lines[0] && !f->node->once ? lines_feed(f) : 0;
	while (!f->section->lines[0]) {
		r = feed_wait_for_folder(f);
		if (r == 0)
			r = feed_follow_files(f);
		follow_close(&f->follow);
		if (r != -ESTALE)
			break;
	}
	if (feed_flush_all(f) < 0)
		say_notice(f->node->sink.listener, "[sink %s] undelivered records are sent at the "
			   "next start", f->section->name);
	feed_save(f, true);
	return r == 0 && f->node->once && !f->has_put && !f->section->lines[0] ? -ENOENT : r;
}

struct feed *feed_new(struct section *s, const struct feed_node *node)
{
	struct feed *f = xrealloc(NULL, sizeof(*f));
	*f = (struct feed){
		.section = s, .sink = s->sink, .node = node, .sink_node = node->sink,
		.takes_live = s->live && node->config->live_us && !s->sink->files && !node->once &&
			      !node->dry,
		.read_us = realtime_us(),
		.follow = {
			.once = node->once || node->dry, .newest = node->once, .stop = node->stop,
			.idle = feed_on_idle, .arg = f, .fd = -1, .dirfd = -1, .inotify = -1,
		},
	};
	f->sink_node.types = s->types;
	f->sink_node.drop = s->drop;
	f->sink_node.labels = s->labels;
	f->sink_node.live_types = node->config->live_types;
	f->sink_node.sent = &f->cursor.bytes;
	f->sink_node.receiver = &f->cursor.receiver;
	f->sink_node.failovers = &f->cursor.failovers;
	f->sink_node.retry_after_s = &f->retry_after_s;
	f->sink_node.dir = node->config->dir;
	f->sink_node.state_dir = node->config->state_dir;
	f->sink_node.place = &f->place;
	f->sink_node.whole = &f->whole;
	return f;
}

void feed_free(struct feed *f)
{
	live_feed_end(&f->live);
	counters_close(&f->counters);
	raw_copy_free(&f->whole.copy);
	buf_free(&f->path);
	free(f);
}

void feed_await(struct section *s, const struct feed_node *node)
{
	struct feed *f = feed_new(s, node);
	if (!s->lines[0] && feed_load_cursor(f) == 0)
		feed_begin_first(f);
	feed_free(f);
}

int feed_count(struct section *s, const struct feed_node *node, struct feed_waiting *ret)
{
	struct feed *f = feed_new(s, node);
	f->counting_sink = feed_counting_sink(s->sink);
	f->sink = &f->counting_sink;
	int r = feed_load_cursor(f);
	if (r == 0) {
		r = feed_follow(f);
		if (r < 0 && r != -ENOENT && r != -EINTR)
			feed_report_failure(f, r);
	}
	if (r == 0 || r == -ENOENT)	/* there are no more files, or none yet */
		*ret = f->waiting;
	feed_free(f);
	return r == -ENOENT ? 0 : r;
}

int feed_run(struct section *s, const struct feed_node *node)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	struct feed *f = feed_new(s, node);
	srandom((unsigned)(getpid() ^ monotonic_ns()));
	int r = node->once ? 0 : feed_load_cursor(f);
	if (s->sink->unfolded && !s->lines[0])
		counters_open(&f->counters, node->once ? "/" : f->path.p, &f->sink_node);
	if (r == 0 && s->sink->open)
		r = s->sink->open(s->state, &f->sink_node, &why);
	if (r < 0 && why.n)
		say_error(node->sink.listener, "[sink %s] " STR_FMT, s->name,
			  STR_ARG(buf_str(&why)));
	if (r == 0) {
		r = feed_follow(f);
		if (r < 0 && r != -EINTR && !f->failing)
			feed_report_failure(f, r);
		if (s->sink->close)
			s->sink->close(s->state);
	}
	feed_free(f);
	return r == -EINTR ? 0 : r;
}
