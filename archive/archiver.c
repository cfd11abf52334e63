/* SPDX-License-Identifier: BSD-3-Clause */
/* archiver.c - record groups go to the archive; what cannot be written waits in memory */
#include "archive/archiver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

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

int archiver_deliver(struct archiver *a, const struct piece *p)
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

void archiver_forget_left(struct archiver *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a->unwritten.part[i].left)
			a->maker->forget_marks(a->arg, a->unwritten.part[i].left);
}

/* The next group begins a file: its schema may not be that of the first header. */
static void written(struct archiver *a, size_t n)
{
	say_notice(a->store.place.listener, "%zu record groups that waited in memory are written, "
		   "%llu were lost so far", n, (unsigned long long)a->unwritten.lost);
	archiver_forget_left(a, n);
	unwritten_done(&a->unwritten, n);
	a->rotate = true;
}

static int make_room(struct archiver *a)
{
	return a->maker->make_room ? a->maker->make_room(a->arg) : 0;
}

/* Groups that waited become a file of their own, since their schema may change on the way. */
static int flush(struct archiver *a)
{
	struct unwritten *p = &a->unwritten;
	struct piece piece = { .marked = true, .fresh = true };
	if (p->n == 0)
		return 0;
	size_t n = p->n;
	piece.usec = p->part[0].usec;
	piece.group = str_skip(buf_str(&p->text), 1);
	int e = archiver_deliver(a, &piece);
	p->held = e == -EINPROGRESS ? n : 0;
	if (e < 0)
		return e;
	written(a, n);
	return make_room(a);
}

static void make_header(struct archiver *a)
{
	a->header.n = 0;
	a->maker->put_header(a->arg, &a->header);
}

static int put_group(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	struct piece p = { .usec = usec, .marked = marked, .rotate = a->rotate, .group = group };
	int e = a->new_schema ? -EAGAIN : archiver_deliver(a, &p);
	if (e != -EAGAIN)
		return e;
	make_header(a);
	p.header = buf_str(&a->header);
	e = archiver_deliver(a, &p);
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
	make_header(a);
	buf_addf(&header, "\n" STR_FMT, STR_ARG(buf_str(&a->header)));
	return unwritten_add(p, usec, buf_str(&header), group, marked);
}

/* The group has room in memory if added is 0; else its marks alone may have. */
static int keep_marks(struct archiver *a, int64_t usec, struct str group, int added)
{
	struct buf marks CLEANUP(buf_free) = { 0 };
	struct unwritten *p = &a->unwritten;
	char *left = a->maker->leave_marks(a->arg, usec, group, &marks);
	if (added < 0)
		added = add_unwritten(a, usec, buf_str(&marks), true);
	if (added == 0)
		p->part[p->n - 1].left = left;
	else
		free(left);
	a->marks_lost += added < 0 && !left;
	return added;
}

/* Whole where there is room, else its marks. */
static void keep_group(struct archiver *a, int64_t usec, struct str group, bool marked, int why)
{
	struct unwritten *p = &a->unwritten;
	const struct store_place *to = &a->store.place;
	bool first = p->n == 0;

	str_copy(a->why, sizeof(a->why), str_of(reason(a, why)));
	if (!a->full)
		say_error(a->store.place.listener, "%s/%s: %s; the newest record groups wait in "
			  "memory", to->dir, to->host, a->why);
	a->full = true;
	int e = add_unwritten(a, usec, group, marked);
	a->new_schema &= e < 0;
	if (marked && a->maker->leave_marks)
		e = keep_marks(a, usec, group, e);
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

/* The group that was sent and not waited for: if it was not written, it is tried again. */
static int settle_sent(struct archiver *a)
{
	struct stored got;
	struct str group = a->sent.group;
	a->sent.group.n = 0;
	int e = writer_answer(&a->writer, true, &got);
	if (e == 0)
		e = note(a, &got);
	if (e < 0 && e != -EINPROGRESS)
		e = put_group(a, a->sent.usec, group, false);
	finish(a, a->sent.usec, group, false, e);
	return e;
}

/* The group that the writer has had since the last call. -EINPROGRESS: it still has; or -errno. */
static int settle(struct archiver *a)
{
	struct stored got;
	if (!a->writer.busy_ns)
		return 0;
	if (a->sent.group.n)
		return settle_sent(a);
	int e = writer_answer(&a->writer, false, &got);
	if (e == -EINPROGRESS)
		return e;
	if (e == 0 && note(a, &got) == 0 && a->unwritten.held)
		written(a, a->unwritten.held);
	a->unwritten.held = 0;
	return 0;
}

/* A group that needs a header or a new file is waited for, and one after a failure. */
static bool may_be_sent(const struct archiver *a, bool marked)
{
	return a->ahead && a->apart && a->begun && !marked && !a->full && !a->rotate &&
	       !a->new_schema;
}

static int send_group(struct archiver *a, int64_t usec, struct str group)
{
	struct piece p = { .usec = usec, .group = group };
	int e = writer_send(&a->writer, &a->store, &p);
	if (e < 0)
		return e;
	a->sent.usec = usec;
	a->sent.group = group;
	return 0;
}

int archiver_put(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	int e = settle(a);
	if (e == 0 && may_be_sent(a, marked) && send_group(a, usec, group) == 0)
		return 0;
	if (e == 0)
		e = flush(a);
	if (e == 0 && a->keep && !a->begun)	/* of the run before this one, in order */
		e = make_room(a);
	if (e == 0)
		e = put_group(a, usec, group, marked);
	return finish(a, usec, group, marked, e);
}

void archiver_settle(struct archiver *a)
{
	if (!a->writer.busy_ns || settle(a) < 0 || flush(a) < 0)
		return;
	works_again(a);
}
