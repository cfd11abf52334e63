/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_feed.c - send the lines of a file that grows and is rotated, instead of records */
#include "send/lines_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "send/feed_deliver.h"
#include "send/lines_file.h"
#include "send/rotated.h"

/* largest line in bytes, checked only after each read; longer lines are not sent */
#define LINE_MAX_BYTES  (1u << 20)
#define POLL_NS         500000000	/* time between two reads at the end of the file */
/* time between two searches for rotated files that have vanished, in nanoseconds */
#define LOOK_NS         (60 * (int64_t)SECOND_NS)
/*
 * how long a listing of the folder is reused: with many files, a new listing for each file is slow
 */
#define LIST_NS         (2 * (int64_t)SECOND_NS)
/* how long a writer may continue with a file after a new file has taken its name */
#define ROTATED_NS      (4 * (int64_t)POLL_NS)
/* interval at which the cursor's time moves forward without new lines, in microseconds */
#define CURSOR_TIME_US        60000000
#define OPEN_REFUSED    "cannot open "

struct lines_known {
	int64_t inode, mtime_ns;
};

/* FILE below is the path in the section's key "lines", without the suffix of a rotation. */
struct lines_reader {
	struct feed *feed;
	struct lines_file file;
	bool too_long;	/* the current line is too long: skip the bytes up to the next newline */
	bool is_open_refused;	/* the reason why the next file cannot be opened was logged */
	int error;		/* error of the last read */
	/*
	 * since when FILE has named another file than .file, in nanoseconds of CLOCK_MONOTONIC; 0:
	 * FILE still names .file
	 */
	int64_t rotated_ns;
	/*
	 * time of the last search for files that have vanished, in nanoseconds of CLOCK_MONOTONIC
	 */
	int64_t looked_ns;
	struct rotated list;	/* the listing from which a file was last opened */
	size_t next;		/* index in .list of the file after the current one */
	int64_t listed_ns;	/* when .list was made, in nanoseconds of CLOCK_MONOTONIC */
	/*
	 * files after the current one that were unread at the last search; a file that then
	 * vanishes from the folder counts as lost
	 */
	struct lines_known *waiting;
	size_t n_waiting, cap;
	struct lines_known *done;	/* the ROTATED_MAX files that were read or lost last */
	size_t n_done, done_cap;
};

static void lines_begin_at(struct lines_reader *l, uint64_t offset, uint64_t tail)
{
	struct feed *f = l->feed;
	f->follow.epoch = l->file.inode;
	f->follow.after = l->file.mtime_ns;
	f->follow.at = offset;
	f->head = l->file.head;
	f->tail = tail;
	f->follow.newest = false;
	l->too_long = l->file.inside_line;
	l->error = 0;
	l->rotated_ns = 0;
}

static void lines_take_file(struct lines_reader *l, const struct lines_file *new)
{
	lines_file_close(&l->file);
	l->file = *new;
}

/* Count and report a file whose lines after byte `after` were not sent. */
static void lines_warn_lost(struct feed *f, const char *path, const char *why, uint64_t after)
{
	char what[64] = "its lines";
	f->cursor.lost_files++;
	f->must_save_cursor = true;
	if (after)
		snprintf(what, sizeof(what), "lines after its byte %llu",
			 (unsigned long long)after);
	say_warning(f->node->sink.listener, "[sink %s] %s: %s: %s are lost to the sink",
		    f->section->name, path, why, what);
}

static void lines_add_done(struct lines_reader *l, int64_t inode, int64_t mtime_ns)
{
	if (l->n_done < ROTATED_MAX)
		l->done = vec_reserve(l->done, &l->done_cap, l->n_done + 1, sizeof(*l->done));
	l->done[l->n_done++ % ROTATED_MAX] = (struct lines_known){ inode, mtime_ns };
}

static bool lines_is_done(const struct lines_reader *l, const struct rotated_file *f)
{
	for (size_t i = 0; i < l->n_done && i < ROTATED_MAX; i++)
		if (l->done[i].inode == f->inode && l->done[i].mtime_ns == f->mtime_ns)
			return true;
	return false;
}

/*
 * Return true if the listing still has the file w, which waits to be read: under any name, and even
 * if the file has grown or was compressed.
 */
static bool lines_has_waiting(const struct rotated *list, const struct lines_known *w)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct rotated_file *f = &list->file[i];
		if ((f->inode == w->inode && f->mtime_ns >= w->mtime_ns) ||
		    (f->packed && f->mtime_ns / SECOND_NS == w->mtime_ns / SECOND_NS))
			return true;
	}
	return false;
}

/*
 * Return how many bytes of the current file were not sent; 0 if the file is compressed or no file
 * is open.
 */
static uint64_t lines_left(const struct lines_reader *l)
{
	struct stat st;
	uint64_t at = l->feed->cursor.offset;
	bool left = l->file.fd >= 0 && fstat(l->file.fd, &st) == 0 && (uint64_t)st.st_size > at &&
		    l->feed->cursor.epoch == l->file.inode;
	return left ? (uint64_t)st.st_size - at : 0;
}

static void lines_set_waiting(struct lines_reader *l, uint64_t bytes)
{
	struct feed *f = l->feed;
	f->must_save_cursor |= f->cursor.waiting != bytes;
	f->cursor.waiting = bytes;
}

/*
 * Note that the files of the list from index i on wait to be read. Report as lost each file that
 * waited at the last call and has vanished since.
 */
static void lines_note_waiting(struct lines_reader *l, const struct rotated *list, size_t i)
{
	uint64_t bytes = lines_left(l);
	size_t gone = 0;
	for (size_t k = 0; k < l->n_waiting && !list->partial; k++)
		gone += !lines_has_waiting(list, &l->waiting[k]);
	for (; gone; gone--)
		lines_warn_lost(l->feed, l->feed->section->lines,
				"a rotated file was removed before it was read", 0);
	l->n_waiting = 0;
	l->looked_ns = monotonic_ns();
	for (; i < list->n; i++) {
		const struct rotated_file *f = &list->file[i];
		if (f->aside || lines_is_done(l, f))
			continue;
		l->waiting = vec_reserve(l->waiting, &l->cap, l->n_waiting + 1,
					 sizeof(*l->waiting));
		l->waiting[l->n_waiting++] = (struct lines_known){ f->inode, f->mtime_ns };
		bytes += f->size;
	}
	lines_set_waiting(l, bytes);
}

/*
 * Open the file that the cursor describes: the file with its inode; otherwise a compressed file or
 * a copy that has the same first line and the same end of the text read so far. Returns the file's
 * index, or list->n if there is none.
 */
static size_t lines_open_known(struct lines_reader *l, const struct rotated *list,
			       const struct cursor *want)
{
	struct lines_file new;
	for (int by_inode = 1; by_inode >= 0; by_inode--)
		for (size_t i = 0; i < list->n && !*l->feed->node->stop; i++) {
			const struct rotated_file *f = &list->file[i];
			bool same = f->inode == want->epoch;
			bool copy = want->head && !f->current && !f->aside && !f->unreadable &&
				    rotated_is_since(f, want->after);
			if ((by_inode ? same : !same && copy) &&
			    lines_file_open(&new, f, want, l->feed->node->stop) == 0) {
				lines_take_file(l, &new);
				lines_begin_at(l, want->offset, want->tail);
				return i;
			}
		}
	return list->n;
}

static bool lines_is_unreadable(int r)
{
	return r == -EPROTONOSUPPORT || r == -EFBIG || r == -EOPNOTSUPP || r == -ENODATA ||
	       r == -EILSEQ;
}

static const char *lines_why_unreadable(int r)
{
	return r == -EPROTONOSUPPORT ? "only .gz and .zst can be read" :
	       r == -EFBIG ? "decompression needs more than 32 MB of memory" : input_why(r);
}

/* Report once why a file cannot be opened, and keep the reason for nodometer status. Returns r. */
static int lines_warn_open(struct lines_reader *l, const char *path, int r)
{
	struct feed *f = l->feed;
	if (r == -ENOENT || r == -EINTR || l->is_open_refused)
		return r;
	l->is_open_refused = true;
	snprintf(f->cursor.why, sizeof(f->cursor.why), OPEN_REFUSED "%s: %s", path, strerror(-r));
	f->cursor.errors++;
	f->must_save_cursor = true;
	feed_save(f, true);
	say_warning(f->node->sink.listener, "[sink %s] " OPEN_REFUSED "%s: %s; retrying",
		    f->section->name, path, strerror(-r));
	return r;
}

/*
 * Remove the reason why a file cannot be opened from the cursor, where an earlier sender may have
 * saved it.
 */
static void lines_clear_refusal(struct lines_reader *l)
{
	struct cursor *c = &l->feed->cursor;
	l->is_open_refused = false;
	if (str_starts(str_of(c->why), STR(OPEN_REFUSED)))
		c->why[0] = '\0';
}

/*
 * Open the first file from i on that can be read, at its start. Returns 0, -ENOENT if there is no
 * further file yet or the file was renamed just now, or another -errno.
 */
static int lines_open_from(struct lines_reader *l, const struct rotated *list, size_t i)
{
	struct feed *f = l->feed;
	struct lines_file new;
	for (; i < list->n; i++) {
		const struct rotated_file *file = &list->file[i];
		if (file->aside || lines_is_done(l, file))
			continue;
		int r = file->unreadable ? -EPROTONOSUPPORT :
			lines_file_open(&new, file, NULL, f->node->stop);
		if (lines_is_unreadable(r)) {
			lines_add_done(l, file->inode, file->mtime_ns);
			lines_warn_lost(f, file->path, lines_why_unreadable(r), 0);
			continue;
		}
		lines_note_waiting(l, list, i + (r == 0));
		if (r < 0)
			return lines_warn_open(l, file->path, r);
		lines_set_waiting(l, f->cursor.waiting + file->size);
		lines_clear_refusal(l);
		l->next = i + 1;
		if (file->current && list->partial)
			lines_warn_lost(f, f->section->lines, "more than 1024 rotated files have "
					"the same time, and some are left out", 0);
		lines_take_file(l, &new);
		lines_begin_at(l, 0, 0);
		return 0;
	}
	lines_note_waiting(l, list, i);
	return -ENOENT;
}

/*
 * Return the index of the first file that was written at this time or later, or the index of FILE.
 */
static size_t lines_find_since(const struct rotated *list, int64_t ns)
{
	size_t i = 0;
	while (i < list->n && (list->file[i].aside || !rotated_is_since(&list->file[i], ns)) &&
	       !list->file[i].current)
		i++;
	return i;
}

/* Open FILE at its end, for a sink that starts with new lines. */
static int lines_open_newest(struct lines_reader *l, const struct rotated *list)
{
	struct stat st;
	size_t i = lines_find_since(list, INT64_MAX);
	if (i == list->n)
		return -ENOENT;
	if (stat(list->file[i].path, &st) < 0)
		return -errno;
	struct cursor end = { .epoch = list->file[i].inode, .offset = (uint64_t)st.st_size };
	struct lines_file new;
	int r = lines_file_open(&new, &list->file[i], &end, l->feed->node->stop);
	if (r < 0)
		return r;
	lines_take_file(l, &new);
	lines_begin_at(l, end.offset, 0);
	return 0;
}

/*
 * Return from what time on files count as unread if the cursor's file is gone: the last write to
 * that file; if unknown, the time of the last read; if both are unknown, INT64_MAX. The time of a
 * read comes from rotated_clock_ns(), because the wall clock is up to a tick ahead of file times.
 */
static int64_t lines_unread_since(const struct cursor *c)
{
	return c->after ? c->after : c->usec ? c->usec * 1000 : INT64_MAX;
}

/*
 * Open the first file to send if the cursor's file cannot be opened: the cursor names none, or the
 * file is gone.
 */
static int lines_open_without(struct lines_reader *l, const struct rotated *list)
{
	struct feed *f = l->feed;
	struct cursor c = f->cursor;
	if (!c.epoch && f->follow.newest)
		return lines_open_newest(l, list);
	int r = lines_open_from(l, list, lines_find_since(list, lines_unread_since(&c)));
	if (r == 0 && c.epoch && (c.head || c.offset || !c.after))
		lines_warn_lost(f, f->section->lines, "the file that was read last no longer "
				"exists under any name", c.offset);
	return r;
}

static int lines_list(struct lines_reader *l, int64_t since_ns)
{
	rotated_free(&l->list);
	l->listed_ns = monotonic_ns();
	l->next = 0;
	return rotated_list(l->feed->section->lines, since_ns, &l->list);
}

/*
 * Return true if .list is recent and has the next file, so that no new listing is needed. If the
 * next file was renamed after the listing, opening it fails.
 */
static bool lines_knows_next(const struct lines_reader *l)
{
	return l->next && l->next < l->list.n && !l->list.file[l->next].current &&
	       monotonic_ns() - l->listed_ns < LIST_NS;
}

/*
 * Open the cursor's file at its offset, or else the first unread file. Returns 0, -ENOENT if there
 * is no file yet, or another -errno.
 */
static int lines_open_first(struct lines_reader *l)
{
	struct feed *f = l->feed;
	struct cursor c = f->cursor;
	int r = lines_list(l, lines_unread_since(&c));
	if (r < 0)
		return r;
	size_t n = l->list.n, i = c.epoch ? lines_open_known(l, &l->list, &c) : n;
	if (c.epoch && i == n && *f->node->stop)
		return -EINTR;
	l->next = i + 1;
	if (i < n)
		lines_note_waiting(l, &l->list, i + 1);
	else
		r = lines_open_without(l, &l->list);
	if (r == 0)
		feed_move_on(f);
	return r;
}

static int lines_send_line(struct lines_reader *l, struct str line)
{
	struct feed *f = l->feed;
	f->follow.at += line.n + 1;
	f->tail = lines_hash_tail((struct str){ line.p, line.n + 1 });
	if (l->too_long || !line.n) {
		l->too_long = false;
		return 0;
	}
	if (f->node->dry)
		feed_count_one(f, realtime_us());
	else
		feed_keep_rate(f);
	return *f->node->stop ? -EINTR : feed_put_line(f, line);
}

/* Send the complete lines that were read. Returns the same values as feed_put_line(). */
static int lines_send_lines(struct lines_reader *l)
{
	struct buf *text = &l->file.text;
	struct str rest = buf_str(text), line;
	int r = 0;
	while (r == 0 && str_take_until(&rest, '\n', &line))
		r = lines_send_line(l, line);
	if (r == 0 && rest.n > LINE_MAX_BYTES) {
		say_warning(l->feed->node->sink.listener, "%s: a line of more than %u bytes is "
			    "left out", l->feed->section->lines, LINE_MAX_BYTES);
		l->feed->follow.at += rest.n;
		l->feed->tail = lines_hash_tail(rest);
		l->too_long = true;
		rest.n = 0;
	}
	if (text->n)
		memmove(text->p, rest.p, rest.n);
	text->n = rest.n;
	return r;
}

/*
 * Continue after FILE was truncated: first in the copy that the rotation made, if there is a copy,
 * then at the start of FILE.
 */
static int lines_restart_truncated(struct lines_reader *l)
{
	struct feed *f = l->feed;
	struct rotated list CLEANUP(rotated_free) = { 0 };
	uint64_t read = f->follow.at + l->file.text.n;
	int r = feed_flush_all(f);
	struct cursor here = { .offset = f->follow.at, .head = f->head, .tail = f->tail,
			       .after = f->follow.after };
	if (r == 0 && rotated_list(f->section->lines, here.after, &list) < 0)
		list.n = 0;
	l->next = 0;
	if (r < 0 || lines_open_known(l, &list, &here) < list.n)
		return r;
	f->cursor.lost_files++;
	say_warning(f->node->sink.listener, "[sink %s] %s: the file was truncated after byte %llu "
		    "was read; later lines are lost to the sink; rotate the file by renaming, not "
		    "by copytruncate", f->section->name,
		    f->section->lines, (unsigned long long)read);
	l->file.text.n = 0;
	l->file.head = 0;
	l->file.inside_line = false;
	lines_file_read_head(&l->file);
	lines_begin_at(l, 0, 0);
	return 0;
}

/*
 * Read more bytes and send the complete lines. Returns 1 if there were more bytes, 0 at the end of
 * the file, or an error of feed_put_line().
 */
static int lines_read_more(struct lines_reader *l)
{
	struct feed *f = l->feed;
	uint64_t at = f->follow.at + l->file.text.n;
	struct stat st;
	if (lines_file_was_truncated(&l->file, at))
		return lines_restart_truncated(l);
	f->read_us = rotated_clock_ns() / 1000;
	if (l->file.fd >= 0 && fstat(l->file.fd, &st) == 0)
		f->follow.after = rotated_mtime_ns(&st);
	ssize_t got = lines_file_read(&l->file, at);
	l->error = got < 0 ? (int)got : 0;
	lines_file_read_head(&l->file);
	f->head = l->file.head;
	int r = lines_send_lines(l);
	return r < 0 ? r : got > 0;
}

/* Return true if f is a compressed copy of the current file. */
static bool lines_is_packed_copy(const struct lines_reader *l, const struct rotated_file *f)
{
	struct lines_file copy;
	if (!f->packed || f->unreadable || !l->feed->head ||
	    f->mtime_ns / SECOND_NS != l->feed->follow.after / SECOND_NS ||
	    lines_file_open(&copy, f, NULL, l->feed->node->stop) < 0)
		return false;
	bool same = copy.head == l->feed->head;
	lines_file_close(&copy);
	return same;
}

/*
 * Return true if f may be a compressed copy of the current file that cannot be read: both files
 * were last written in the same second.
 */
static bool lines_is_unreadable_copy(const struct lines_reader *l, const struct rotated_file *f)
{
	struct lines_file copy;
	if (!f->packed || lines_is_done(l, f) ||
	    f->mtime_ns / SECOND_NS != l->feed->follow.after / SECOND_NS)
		return false;
	int r = f->unreadable ? -EPROTONOSUPPORT :
		lines_file_open(&copy, f, NULL, l->feed->node->stop);
	if (r == 0)
		lines_file_close(&copy);
	return lines_is_unreadable(r);
}

/*
 * Return the index of the file after the current one. The current file may be gone from the folder.
 */
static size_t lines_find_next(const struct lines_reader *l, const struct rotated *list)
{
	size_t i = list->n;
	for (; i > 0; i--) {
		const struct rotated_file *f = &list->file[i - 1];
		if (f->inode == l->feed->follow.epoch || lines_is_packed_copy(l, f))
			return i;
	}
	for (i = 0; i < list->n; i++)
		if (lines_is_unreadable_copy(l, &list->file[i]))
			return i + 1;
	return lines_find_since(list, l->feed->follow.after);
}

/*
 * Look for unread files that a rotation has removed. Called while the receiver is unreachable or
 * slow.
 */
static void lines_look(void *arg)
{
	struct lines_reader *l = arg;
	struct rotated list CLEANUP(rotated_free) = { 0 };
	if (rotated_list(l->feed->section->lines, l->feed->follow.after, &list) == 0)
		lines_note_waiting(l, &list, lines_find_next(l, &list));
	feed_save(l->feed, false);
}

/*
 * Return true if no writer appends to the current file any more, because FILE has named another
 * file for ROTATED_NS. If FILE does not exist, this counts as another file if the current file has
 * a rotated name or rotated files wait to be read.
 */
static bool lines_is_rotated(struct lines_reader *l)
{
	struct stat now, ours;
	if (l->file.input)
		return true;
	bool there = stat(l->feed->section->lines, &now) == 0;
	if (!there && monotonic_ns() - l->looked_ns > LOOK_NS)
		lines_look(l);
	bool other = there ? rotated_inode(&now) != l->feed->follow.epoch :
			     !l->file.current || l->n_waiting;
	if (!other)
		l->rotated_ns = 0;
	else if (!l->rotated_ns)
		l->rotated_ns = monotonic_ns();	/* a writer may still have the old file open */
	if (!other || l->feed->follow.once)
		return other;
	/* a file that was opened under a rotated name may have been renamed long before */
	bool old = !l->file.current && fstat(l->file.fd, &ours) == 0 &&
		   rotated_clock_ns() - ours.st_ctim.tv_sec * (int64_t)SECOND_NS -
		   ours.st_ctim.tv_nsec > ROTATED_NS;
	return old || monotonic_ns() - l->rotated_ns > ROTATED_NS;
}

/*
 * Open the next file: the oldest one that was written after the current one. If the current file
 * does not end in a newline, its last bytes are no line and are dropped. Returns the same values as
 * lines_open_from().
 */
static int lines_open_next(struct lines_reader *l)
{
	struct feed *f = l->feed;
	struct lines_known here = { f->follow.epoch, f->follow.after };
	uint64_t at = f->follow.at;
	int error = l->error, r = feed_flush_all(f);
	if (r < 0)
		return r;
	r = lines_knows_next(l) ? lines_open_from(l, &l->list, l->next) : -ENOENT;
	if (r == -ENOENT)
		r = lines_list(l, here.mtime_ns);
	if (r == 0 && l->next == 0)
		r = lines_open_from(l, &l->list, lines_find_next(l, &l->list));
	if (r < 0)
		return r;
	lines_add_done(l, here.inode, here.mtime_ns);
	if (error)
		lines_warn_lost(f, f->section->lines, input_why(error), at);
	feed_move_on(f);
	feed_save(f, false);
	return 0;
}

/*
 * Deliver buffered lines. If no rotated file waits, move the cursor's time forward even without new
 * lines: all lines up to that time were sent.
 */
static int lines_flush(struct lines_reader *l)
{
	struct feed *f = l->feed;
	int r = f->n ? feed_flush(f) : 0;
	if (r == 0 && !l->n_waiting)
		lines_set_waiting(l, lines_left(l));
	if (r == 0 && !l->n_waiting && f->read_us - f->cursor.usec > CURSOR_TIME_US) {
		f->cursor.usec = f->read_us;
		f->must_save_cursor = true;
	}
	feed_save(f, true);
	return r;
}

/*
 * Send all lines up to the end of the file, then wait for more lines or for the next file. Returns
 * -errno, or 0 at the end of the last file for feed_count().
 */
static int lines_follow(struct lines_reader *l)
{
	struct feed *f = l->feed;
	while (!*f->node->stop) {
		int r = lines_read_more(l);
		if (r == 0)
			r = lines_flush(l) < 0 ? -EINTR : 0;
		if (r == 0 && lines_is_rotated(l) && (r = lines_read_more(l)) == 0)
			r = lines_open_next(l) == 0;
		if (r < 0 || (r == 0 && f->follow.once))
			return r;
		if (r == 0)
			feed_rest(f, POLL_NS);
		else if (monotonic_ns() - l->looked_ns > LOOK_NS)
			lines_look(l);
	}
	return -EINTR;
}

/* Before waiting for the first file, note that all files written from now on are unread. */
static void lines_begin_waiting(struct feed *f)
{
	if (f->follow.newest)
		f->follow.after = f->cursor.after = rotated_clock_ns();
	feed_begin_first(f);
}

int lines_feed(struct feed *f)
{
	struct lines_reader l = { .feed = f, .file = { .fd = -1 } };
	bool logged = false;
	int r;
	while ((r = lines_open_first(&l)) < 0 && !f->follow.once && !*f->node->stop) {
		if (!logged)
			say_notice(f->node->sink.listener, "[sink %s] %s: %s; waiting for it",
				   f->section->name, f->section->lines, strerror(-r));
		logged = true;
		lines_begin_waiting(f);
		feed_rest(f, 4 * (int64_t)POLL_NS);
	}
	f->after_backoff = lines_look;
	f->backoff_arg = &l;
	if (r == 0)
		r = lines_follow(&l);
	f->after_backoff = NULL;
	lines_file_close(&l.file);
	rotated_free(&l.list);
	free(l.waiting);
	free(l.done);
	return f->follow.once ? 0 : -EINTR;
}
