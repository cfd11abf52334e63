/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - put record groups into the archive, each under the file lock */
#include "archive/store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/marked.h"
#include "archive/tail.h"
#include "base/clock.h"
#include "base/files.h"

/* ns; how often to check whether the path still leads to the open folder */
#define FOLDER_CHECK_NS  INT64_C(10000000000)
/* us; a replay that goes back in time by at least this much counts as a clock that was set back */
#define CLOCK_SET_BACK_US INT64_C(3600000000)

void store_open(struct store *s, const struct store_place *place)
{
	*s = (struct store){
		.place = *place, .lock_ms = 1000,
		.archive = { .dirfd = -1, .lockfd = -1, .fd = -1 },
	};
}

void store_close(struct store *s)
{
	archive_close(&s->archive);
	buf_free(&s->retimed);
	buf_free(&s->unmarked);
}

enum folder { IN_PLACE, MOVED, REMOVED };

/*
 * Find out whether the path still leads to the open folder. ESTALE means that the folder was
 * removed on a file server.
 */
static enum folder store_check_folder(const struct store *s)
{
	struct stat st, named;
	char path[PATH_MAX];
	if (s->archive.dirfd < 0)
		return IN_PLACE;
	if (fstat(s->archive.dirfd, &st) < 0 || st.st_nlink == 0)
		return REMOVED;
	snprintf(path, sizeof(path), "%s/%s", s->place.dir, s->place.host);
	if (stat(path, &named) < 0)
		return errno == ENOENT ? MOVED : IN_PLACE;
	return files_are_one(&st, &named) ? IN_PLACE : MOVED;
}

static int store_lock(struct store *s)
{
	struct archive *a = &s->archive;
	if (a->dirfd < 0) {
		int e = archive_open(a, s->place.dir, s->place.host);
		if (e < 0)
			return e;
	}
	a->listener = s->place.listener;
	a->floor = s->place.free_floor;
	return archive_lock(a, s->lock_ms);
}

/*
 * Returns true if the path of the folder was checked recently and the record has no marks.
 * Otherwise the caller must check the path now.
 */
static bool store_folder_was_checked(struct store *s, bool marked)
{
	int64_t now = monotonic_ns();
	if (s->archive.fd >= 0 && !marked && s->looked_ns && now - s->looked_ns < FOLDER_CHECK_NS)
		return true;
	s->looked_ns = now;
	return false;
}

static int store_enter(struct store *s, bool marked, bool *removed)
{
	static const char *const said[] = {
		[MOVED] = "moved away", [REMOVED] = "removed, with all that was in it",
	};
	int e = store_lock(s);
	enum folder folder = e == 0 && store_folder_was_checked(s, marked) ? IN_PLACE :
			     store_check_folder(s);
	*removed = folder != IN_PLACE;
	if (!*removed)
		return e;
	archive_close(&s->archive);
	e = store_lock(s);
	say_warning(s->place.listener, "%s/%s: the folder was %s; %s%s", s->place.dir,
		    s->place.host, said[folder], e < 0 ? strerror(-e) : "it was created again",
		    e == -EACCES ? ": create it, then restart the programs that write to it" : "");
	return e;
}

static int store_begin_file(struct store *s, const struct store_piece *p, struct stored *ret)
{
	if (!p->fresh && p->header.n == 0)
		return -EAGAIN;
	int e = archive_begin(&s->archive, p->usec, p->header, p->group);
	if (e < 0)
		return e;
	ret->new_file = true;
	ret->moved = s->unsynced;
	s->unsynced = false;
	return 0;
}

void store_put_header(struct buf *b, struct str header, int64_t back_us)
{
	struct str first;
	if (back_us > 0 && str_take_line(&header, &first)) {
		buf_addf(b, STR_FMT "\n$clock_set -", STR_ARG(first));
		buf_add_time(b, back_us);
		buf_add_char(b, '\n');
	}
	buf_add(b, header);
}

/* Append a record. If the devices have changed or the clock was set back, first append a header. */
static int store_append_group(struct archive *a, const struct store_piece *p)
{
	if (!p->back_us && (p->header.n == 0 || archive_has_below(a, p->header)))
		return archive_append(a, p->group);

	struct buf text CLEANUP(buf_free) = { 0 };
	buf_add_char(&text, '\n');
	store_put_header(&text, p->header, p->back_us);
	buf_add(&text, p->group);
	int e = archive_append(a, buf_str(&text));
	a->described = e == 0;
	return e;
}

/*
 * Append a record and, if it has marks, sync it. If fdatasync(2) fails, write the record to a new
 * file instead, because the kernel may have dropped its data.
 */
static int store_append(struct store *s, const struct store_piece *p, struct stored *ret)
{
	off_t before = s->archive.size;
	int e = store_append_group(&s->archive, p);
	if (e < 0 || !p->marked)
		return e;
	e = archive_sync(&s->archive);
	if (e == 0)
		return 0;
	say_warning(s->place.listener, "%s/%s: marks cannot be synced to the disk: %s; they go "
		    "into a new file", s->place.dir, s->place.host, strerror(-e));
	archive_truncate(&s->archive, before);
	s->unsynced = true;
	return store_begin_file(s, p, ret);
}

static int store_write_piece(struct store *s, const struct store_piece *p, struct stored *ret)
{
	struct archive *a = &s->archive;
	if (p->fresh || p->rotate || s->unsynced || a->fd < 0)
		return store_begin_file(s, p, ret);
	if (p->header.n == 0 && (p->back_us || !(a->trusted && a->described)))
		return -EAGAIN;
	/* check the file again, because this header may have another schema */
	if (p->header.n) {
		a->trusted = a->described = false;
		if (!archive_covers(a, str_of(s->place.version), p->header,
				    str_of(s->place.boot_id)))
			return store_begin_file(s, p, ret);
	}
	if (p->usec >= a->rotate_at_us)
		return store_begin_file(s, p, ret);
	return store_append(s, p, ret);
}

static int64_t store_order_time(const struct store *s, int64_t usec)
{
	int64_t now = realtime_us(), last = s->archive.last_us;
	if (usec > last)
		return usec;
	if (s->place.replay)
		return last - usec < CLOCK_SET_BACK_US ? last + 1 : usec;
	return last > now ? usec : now;
}

static void store_keep_order(struct store *s, struct store_piece *p)
{
	int64_t usec = store_order_time(s, p->usec);
	struct str rest = p->group, time;
	if (s->archive.fd >= 0 && usec < s->archive.last_us)
		p->back_us = s->archive.last_us - usec;
	if (p->fresh || usec == p->usec)
		return;
	if (p->last_us) {
		if (p->header.n)
			say_info(s->place.listener, "%s/%s: another process has written meanwhile; "
				 "earlier samples go into a separate file",
				 s->place.dir, s->place.host);
		p->rotate = true;
		return;
	}
	p->usec = usec;
	s->retimed.n = 0;
	buf_add_char(&s->retimed, '\n');
	buf_add_time(&s->retimed, usec);
	rest = str_skip(rest, 1);
	str_take_word(&rest, &time);
	buf_add(&s->retimed, rest);
	p->group = buf_str(&s->retimed);
}

static void store_drop_repeated_marks(struct store *s, struct store_piece *p)
{
	s->unmarked.n = 0;
	if (!p->marked || !marked_already(&s->archive, p->group, &s->unmarked))
		return;
	p->group = buf_str(&s->unmarked);
	say_info(s->place.listener, "%s/%s: a repeated request is already marked there",
		 s->place.dir, s->place.host);
}

/*
 * Returns the offset of the end of the last record with this time, or 0 if there is none. *header
 * gets the last header before that offset.
 */
static size_t store_end_of(struct str groups, int64_t usec, struct str *header)
{
	struct str rest = groups, newest = *header;
	size_t end = 0;
	while (rest.n) {
		struct str part = tail_take_block(&rest);
		struct str text = str_skip(part, str_peek(part) == '\n');
		int64_t time;
		if (str_peek(text) == '$')
			newest = text;
		if (!str_take_time(&text, &time) || time != usec)
			continue;
		end = (size_t)(rest.p - groups.p);
		*header = newest;
	}
	return end;
}

static void store_take_time(struct store_piece *p)
{
	struct str time = p->group;
	if (p->fresh)
		tail_take_block(&time);		/* skip the header */
	time = str_skip(time, str_peek(time) == '\n');
	str_take_time(&time, &p->usec);
}

/*
 * Leave out records that a writer process wrote before it was killed. Returns false if no record is
 * left.
 */
static bool store_leave_out_written(struct store *s, struct store_piece *p)
{
	const struct archive *a = &s->archive;
	struct str header = { p->group.p, 0 };
	size_t n = p->last_us && a->fd >= 0 && a->last_us ?
		store_end_of(p->group, a->last_us, &header) : 0;
	if (n == 0)
		return true;
	struct str rest = str_skip(p->group, n);
	bool headed = str_starts(rest, STR("\n$"));
	s->retimed.n = 0;
	buf_add(&s->retimed, headed ? STR("") : header);
	buf_add(&s->retimed, str_skip(rest, headed));
	p->group = buf_str(&s->retimed);
	if (rest.n)
		store_take_time(p);
	return rest.n > 0;
}

static int store_put_in_order(struct store *s, struct store_piece *p, struct stored *ret)
{
	if (!store_leave_out_written(s, p))
		return 0;
	store_keep_order(s, p);
	store_drop_repeated_marks(s, p);
	int e = store_write_piece(s, p, ret);
	if (e == 0)
		s->archive.last_us = p->last_us ? p->last_us : p->usec;
	return e;
}

void store_put(struct store *s, const struct store_piece *p, struct stored *ret)
{
	struct archive *a = &s->archive;
	struct store_piece q = *p;

	*ret = (struct stored){ .size = -1 };
	ret->e = store_enter(s, p->marked, &ret->removed);
	ret->unlocked = ret->e == -ETIMEDOUT;
	if (ret->e < 0)
		return;
	ret->e = store_put_in_order(s, &q, ret);
	ret->below_floor = a->below_floor;
	ret->size = a->size;
	archive_unlock(a);
}
