/* SPDX-License-Identifier: BSD-3-Clause */
/* archiver.c - record groups go to the archive; what cannot be written waits in memory */
#include "archive/archiver.h"

#include <errno.h>
#include <string.h>
#include "base/clock.h"

#define HALF (UNWRITTEN_BYTES_MAX / 2)

/*
 * Most groups on their way are written without the header that waits with them, and to make one
 * takes twenty system calls: of the last minute it is as good as new.
 */
#define RECENT_NS 60000000000

void archiver_open(struct archiver *a, const struct store_place *place)
{
	a->writer.fd = -1;
	store_open(&a->store, place);
}

void archiver_close(struct archiver *a)
{
	writer_stop(&a->writer);
	store_close(&a->store);
	unwritten_clear(&a->unwritten);
	buf_free(&a->header);
}

static int note(struct archiver *a, const struct stored *got)
{
	a->stored = *got;
	if (got->removed)
		a->removed_us = realtime_us();
	if (got->new_file) {
		a->rotate = false;
		a->new_file = true;
	}
	return got->e;
}

/* 0 or -errno; -EINPROGRESS: the writer still has it. */
static int deliver(struct archiver *a, const struct piece *p)
{
	struct stored got;
	if (!a->apart) {
		store_put(&a->store, p, &got);
		return note(a, &got);
	}
	if (a->writer.busy_ns)
		return -EINPROGRESS;
	int e = writer_put(&a->writer, &a->store, p, &got);
	return e < 0 ? e : note(a, &got);
}

/* After a failure the next group begins a file: its schema may not be that of the first header. */
static void written(struct archiver *a, size_t n)
{
	if (a->full || a->unwritten.mixed) {
		say_notice(a->store.place.listener, "%zu record groups that waited in memory are "
			   "written, %llu were lost so far", n,
			   (unsigned long long)a->unwritten.lost);
		a->rotate = true;
	}
	unwritten_done(&a->unwritten, n);
}

/*
 * Groups that waited after a failure become a file of their own, since their schema may change on
 * the way. Of others the header is left out, since it is longer than most groups.
 */
static struct piece all_waiting(const struct archiver *a)
{
	const struct unwritten *u = &a->unwritten;
	struct piece p = {
		.usec = u->part[0].usec, .last_us = u->last_us,
		.group = str_skip(buf_str(&u->text), 1),
	};
	p.fresh = a->full || u->mixed;
	p.marked = p.fresh || u->part[0].marked;
	if (!p.fresh)
		p.group = str_skip(buf_str(&u->text), u->part[0].header);
	return p;
}

static int flush(struct archiver *a)
{
	struct unwritten *u = &a->unwritten;
	if (u->n == 0)
		return 0;
	struct piece p = all_waiting(a);
	size_t n = u->n;
	int e = deliver(a, &p);
	if (e == -EAGAIN) {
		p.header = (struct str){ u->text.p + 1, u->part[0].header - 1 };
		e = deliver(a, &p);
	}
	u->held = e == -EINPROGRESS ? n : 0;
	if (e < 0)
		return e;
	a->sent_us = p.last_us;
	written(a, n);
	return 0;
}

static void make_header(struct archiver *a)
{
	a->header.n = 0;
	a->maker->put_header(a->arg, &a->header);
	a->header_ns = monotonic_ns();
}

static bool has_recent_header(const struct archiver *a)
{
	return a->header.n && !a->new_schema && monotonic_ns() - a->header_ns < RECENT_NS;
}

static int put_group(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	struct piece p = { .usec = usec, .marked = marked, .rotate = a->rotate, .group = group };
	int e = a->new_schema ? -EAGAIN : deliver(a, &p);
	if (e != -EAGAIN)
		return e;
	make_header(a);
	p.header = buf_str(&a->header);
	e = deliver(a, &p);
	a->new_schema &= e < 0;
	return e;
}

static const char *reason(const struct archiver *a, int why)
{
	if (why == -EINPROGRESS)
		return "the disk does not answer";
	if (a->stored.unlocked)
		return "its lock is held by another process";
	if (why == -ENOSPC && a->stored.below_floor)
		return "free space is below free-floor";
	return strerror(-why);
}

static int add_unwritten(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct unwritten *p = &a->unwritten;
	int e = p->n == 0 || a->new_schema ? -EAGAIN :
		unwritten_add(p, usec, STR(""), group, marked);
	if (e != -EAGAIN)
		return e;
	if (!has_recent_header(a))
		make_header(a);
	buf_add_char(&header, '\n');
	buf_add(&header, buf_str(&a->header));
	return unwritten_add(p, usec, buf_str(&header), group, marked);
}

static int keep_marks(struct archiver *a, int64_t usec, struct str group)
{
	struct buf marks CLEANUP(buf_free) = { 0 };
	a->maker->put_marks(&marks, group);
	int e = add_unwritten(a, usec, buf_str(&marks), true);
	a->marks_lost += e < 0;
	return e;
}

static void say_full(struct archiver *a, int why)
{
	const struct store_place *to = &a->store.place;
	str_copy(a->why, sizeof(a->why), str_of(reason(a, why)));
	if (!a->full)
		say_error(to->listener, "%s/%s: %s; the newest record groups wait in memory",
			  to->dir, to->host, a->why);
	a->full = true;
}

/* Whole where there is room, else its marks. */
static void keep_group(struct archiver *a, int64_t usec, struct str group, bool marked, int why)
{
	struct unwritten *p = &a->unwritten;
	bool first = p->n == 0;

	say_full(a, why);
	int e = add_unwritten(a, usec, group, marked);
	a->new_schema &= e < 0;
	if (e < 0 && marked && a->maker->put_marks)
		e = keep_marks(a, usec, group);
	if (why == -EINPROGRESS && first && e == 0)
		p->held = p->n;
}

/* An archive that could be written once is waited for, whatever is wrong with it now. */
static bool is_waited_for(const struct archiver *a, int e)
{
	return a->keep && (a->begun || e == -ENOSPC || e == -ETIMEDOUT || e == -EINPROGRESS);
}

static void works_again(struct archiver *a)
{
	if (a->full)
		say_notice(a->store.place.listener, "%s/%s: writing again", a->store.place.dir,
			   a->store.place.host);
	a->full = false;
}

/* e is what became of it: where it is not written it waits, if it may. */
static int finish(struct archiver *a, int64_t usec, struct str group, bool marked, int e)
{
	a->failed += e < 0;
	bool waits = e < 0 && is_waited_for(a, e);
	a->begun = true;
	if (waits) {
		keep_group(a, usec, group, marked, e);
		return 0;
	}
	if (e == 0)
		works_again(a);
	return e;
}

/* The groups that the writer has. -EINPROGRESS: it still has them; or -errno: it wrote none. */
static int settle(struct archiver *a, bool wait)
{
	struct stored got;
	if (!a->writer.busy_ns)
		return 0;
	int e = writer_answer(&a->writer, wait && !writer_hangs(&a->writer), &got);
	if (e == -EINPROGRESS)
		return e;
	if (e == 0)
		e = note(a, &got);
	if (e == 0 && a->unwritten.held)
		written(a, a->unwritten.held);
	a->unwritten.held = 0;
	return e;
}

/* A group that needs a header or a new file is waited for, and one after a failure. */
static bool may_be_laid(const struct archiver *a, struct str group, bool marked, int settled)
{
	if (settled < 0 && (settled != -EINPROGRESS || writer_hangs(&a->writer)))
		return false;
	return a->ahead && a->apart && a->begun && !marked && !a->full && !a->rotate &&
	       !a->new_schema && !a->unwritten.mixed && group.n < HALF;
}

static bool is_due(const struct archiver *a, int64_t usec)
{
	int64_t since = usec - a->sent_us;
	return since < 0 || since >= a->gather_us || a->unwritten.text.n >= HALF ||
	       a->unwritten.n >= UNWRITTEN_GROUPS_MAX / 2;
}

static void lay(struct archiver *a, int64_t usec, struct str group)
{
	if (add_unwritten(a, usec, group, false) < 0 || a->writer.busy_ns || !is_due(a, usec))
		return;
	struct piece p = all_waiting(a);
	int e = writer_send(&a->writer, &a->store, &p);
	if (e < 0) {
		a->failed++;
		say_full(a, e);
		return;
	}
	a->unwritten.held = a->unwritten.n;
	a->sent_us = usec;
}

int archiver_put(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	int e = settle(a, marked || !a->ahead);
	if (may_be_laid(a, group, marked, e)) {
		lay(a, usec, group);
		return 0;
	}
	if (e != -EINPROGRESS)
		e = flush(a);
	if (e == 0)
		e = put_group(a, usec, group, marked);
	if (e == 0)
		a->sent_us = usec;
	return finish(a, usec, group, marked, e);
}

int archiver_settle(struct archiver *a)
{
	int e = settle(a, true);
	if (e != -EINPROGRESS)
		e = flush(a);
	if (e == 0)
		works_again(a);
	else
		say_full(a, e);
	return e;
}
