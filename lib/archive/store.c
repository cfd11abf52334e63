/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - record groups into the archive */
#include "archive/store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/marked.h"
#include "base/clock.h"
#include "base/files.h"

#define LOOK_NS  INT64_C(10000000000)	/* so often a folder that others moved is looked for */
#define AHEAD_US INT64_C(3600000000)	/* of a replay: written before a clock was set back */

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

/* Whether the open folder is still that of its name; a server may have forgotten it (ESTALE). */
static enum folder look_at_folder(const struct store *s)
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

static int lock(struct store *s)
{
	struct archive *a = &s->archive;
	if (a->dirfd < 0) {
		int e = archive_open(a, s->place.dir, s->place.host);
		if (e < 0)
			return e;
		a->listener = s->place.listener;
	}
	a->floor = s->place.free_floor;
	return archive_lock(a, s->lock_ms);
}

/* Where current is, the folder is not removed; in one that was moved away nothing is lost. */
static bool is_looked_at(struct store *s, bool marked)
{
	int64_t now = monotonic_ns();
	if (s->archive.fd >= 0 && !marked && s->looked_ns && now - s->looked_ns < LOOK_NS)
		return true;
	s->looked_ns = now;
	return false;
}

static int enter(struct store *s, bool marked, bool *removed)
{
	static const char *const said[] = {
		[MOVED] = "moved away", [REMOVED] = "removed, with all that was in it",
	};
	int e = lock(s);
	enum folder folder = e == 0 && is_looked_at(s, marked) ? IN_PLACE : look_at_folder(s);
	*removed = folder != IN_PLACE;
	if (!*removed)
		return e;
	archive_close(&s->archive);
	e = lock(s);
	say_warning(s->place.listener, "%s/%s: the folder was %s; %s%s", s->place.dir,
		    s->place.host, said[folder], e < 0 ? strerror(-e) : "it was made again",
		    e == -EACCES ? ": once it is there, start again what writes to it" : "");
	return e;
}

static int begin_file(struct store *s, const struct piece *p, struct stored *ret)
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

/* Where devices stand on others than before, after another header: the schema is the same. */
static int append_group(struct archive *a, const struct piece *p)
{
	if (p->header.n == 0 || archive_tells(a, p->header))
		return archive_append(a, p->group);

	struct buf text CLEANUP(buf_free) = { 0 };
	buf_addf(&text, "\n" STR_FMT STR_FMT, STR_ARG(p->header), STR_ARG(p->group));
	int e = archive_append(a, buf_str(&text));
	a->described = e == 0;
	return e;
}

/*
 * A file is not trusted after a failed fdatasync(2): the kernel may have dropped data. The group
 * goes into a new file instead, and stands in one of them.
 */
static int append(struct store *s, const struct piece *p, struct stored *ret)
{
	off_t before = s->archive.size;
	int e = append_group(&s->archive, p);
	if (e < 0 || !p->marked)
		return e;
	e = archive_sync(&s->archive);
	if (e == 0)
		return 0;
	say_warning(s->place.listener, "%s/%s: marks cannot be synced to the disk: %s; they go "
		    "into a new file", s->place.dir, s->place.host, strerror(-e));
	archive_take_back(&s->archive, before);
	s->unsynced = true;
	return begin_file(s, p, ret);
}

static int write_piece(struct store *s, const struct piece *p, struct stored *ret)
{
	struct archive *a = &s->archive;
	if (p->fresh || p->rotate || s->unsynced || a->fd < 0)
		return begin_file(s, p, ret);
	if (p->header.n == 0 && !(a->trusted && a->described))
		return -EAGAIN;
	if (p->header.n) {	/* perhaps of another schema */
		a->trusted = a->described = false;
		if (!archive_covers(a, str_of(s->place.version), p->header,
				    str_of(s->place.boot_id)))
			return begin_file(s, p, ret);
	}
	if (p->usec >= a->rotate_at_us)
		return begin_file(s, p, ret);
	return append(s, p, ret);
}

static int64_t in_order(const struct store *s, int64_t usec)
{
	int64_t now = realtime_us(), last = s->archive.last_us;
	if (usec > last)
		return usec;
	if (s->place.replay)
		return last - usec < AHEAD_US ? last + 1 : usec;
	return last > now ? usec : now;
}

static void keep_order(struct store *s, struct piece *p)
{
	int64_t usec = in_order(s, p->usec);
	struct str rest = p->group, time;
	if (p->fresh || usec == p->usec)
		return;
	if (p->last_us) {
		if (p->header.n)
			say_info(s->place.listener, "%s/%s: another process has written meanwhile; "
				 "samples of before become a file of their own",
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

static void mark_once(struct store *s, struct piece *p)
{
	s->unmarked.n = 0;
	if (!p->marked || !marked_already(&s->archive, p->group, &s->unmarked))
		return;
	p->group = buf_str(&s->unmarked);
	say_info(s->place.listener, "%s/%s: a request came again that is marked there already",
		 s->place.dir, s->place.host);
}

/* The first of two newlines, NULL: there are none. memmem(3) takes six instructions for a byte. */
static const char *find_blank(struct str s)
{
	const char *p = s.p, *end = s.p + s.n;
	while ((p = memchr(p, '\n', (size_t)(end - p))) && p + 1 < end && p[1] != '\n')
		p++;
	return p && p + 1 < end ? p : NULL;
}

/* Where the last group of this time ends, 0: there is none; *header is the newest one before. */
static size_t end_of(struct str groups, int64_t usec, struct str *header)
{
	struct str rest = groups, newest = *header;
	size_t end = 0;
	while (rest.n) {
		const char *next = find_blank(rest);
		struct str part = { rest.p, next ? (size_t)(next + 1 - rest.p) : rest.n };
		struct str text = str_skip(part, str_peek(part) == '\n');
		int64_t time;
		rest = str_skip(rest, part.n);
		if (str_peek(text) == '$')
			newest = text;
		if (!str_take_time(&text, &time) || time != usec)
			continue;
		end = (size_t)(rest.p - groups.p);
		*header = newest;
	}
	return end;
}

static void take_usec(struct piece *p)
{
	const char *blank = p->fresh ? find_blank(p->group) : NULL;
	struct str time = str_skip(p->group, blank ? (size_t)(blank + 2 - p->group.p) : 1);
	str_take_time(&time, &p->usec);
}

/*
 * A writer may have died after it wrote groups, or with its agent: those up to the last one of the
 * archive are left out. False: none is left.
 */
static bool leave_out_written(struct store *s, struct piece *p)
{
	const struct archive *a = &s->archive;
	struct str header = { p->group.p, 0 };
	size_t n = p->last_us && a->fd >= 0 && a->last_us ?
		end_of(p->group, a->last_us, &header) : 0;
	if (n == 0)
		return true;
	struct str rest = str_skip(p->group, n);
	bool headed = str_starts(rest, STR("\n$"));
	s->retimed.n = 0;
	buf_add(&s->retimed, headed ? STR("") : header);
	buf_add(&s->retimed, str_skip(rest, headed));
	p->group = buf_str(&s->retimed);
	if (rest.n)
		take_usec(p);
	return rest.n > 0;
}

static int put_in_order(struct store *s, struct piece *p, struct stored *ret)
{
	if (!leave_out_written(s, p))
		return 0;
	keep_order(s, p);
	mark_once(s, p);
	int e = write_piece(s, p, ret);
	if (e == 0)
		s->archive.last_us = p->last_us ? p->last_us : p->usec;
	return e;
}

void store_put(struct store *s, const struct piece *p, struct stored *ret)
{
	struct archive *a = &s->archive;
	struct piece q = *p;

	*ret = (struct stored){ .size = -1 };
	ret->e = enter(s, p->marked, &ret->removed);
	ret->unlocked = ret->e == -ETIMEDOUT;
	if (ret->e < 0)
		return;
	ret->e = put_in_order(s, &q, ret);
	ret->below_floor = a->below_floor;
	ret->size = a->size;
	archive_unlock(a);
}
