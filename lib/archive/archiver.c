/* SPDX-License-Identifier: BSD-3-Clause */
/* archiver.c - write record groups to the archive, or keep them in memory for later */
#include "archive/archiver.h"

#include <errno.h>
#include <string.h>
#include "base/clock.h"

#define HALF (UNWRITTEN_BYTES_MAX / 2)

/*
 * Longest time that a header is used, in nanoseconds. Making a header takes twenty system calls. A
 * record that waits in memory needs its header only if it begins a file, which is rare, so a header
 * up to a minute old is good enough.
 */
#define RECENT_NS 60000000000

void archiver_open(struct archiver *a, const struct store_place *place)
{
	a->writer.fd = -1;
	a->unwritten.put_marks = a->maker->put_marks;
	store_open(&a->store, place);
}

/*
 * Report how many records had to wait: once, instead of once for each record while a disk is slow.
 */
static void archiver_report_waited(struct archiver *a)
{
	if (a->n_waited)
		say_notice(a->store.place.listener, "%zu record groups that waited in memory were "
			   "written; %llu have lost their samples so far", a->n_waited,
			   (unsigned long long)a->unwritten.lost);
	a->n_waited = 0;
}

void archiver_close(struct archiver *a)
{
	archiver_report_waited(a);
	writer_stop(&a->writer);
	store_close(&a->store);
	unwritten_clear(&a->unwritten);
	buf_free(&a->header);
}

static int archiver_note_result(struct archiver *a, const struct stored *got)
{
	a->stored = *got;
	if (got->removed)
		a->counts.removed_us = realtime_us();
	if (got->new_file) {
		a->rotate = false;
		a->new_file = true;
	}
	return got->e;
}

/*
 * Write one piece of text. Returns 0, -EINPROGRESS if the writer process has not answered yet, or
 * another -errno.
 */
static int archiver_deliver(struct archiver *a, const struct store_piece *p)
{
	struct stored got;
	if (!a->uses_writer) {
		store_put(&a->store, p, &got);
		return archiver_note_result(a, &got);
	}
	if (a->writer.busy_ns)
		return -EINPROGRESS;
	int e = writer_put(&a->writer, &a->store, p, &got);
	return e < 0 ? e : archiver_note_result(a, &got);
}

/*
 * Remove from memory the n oldest records, which were written. After a failure, begin a new file
 * with the next record, since its schema may differ.
 */
static void archiver_remove_written(struct archiver *a, size_t n)
{
	if (a->full || a->unwritten.mixed) {
		a->n_waited += n;
		a->rotate = true;
	}
	unwritten_done(&a->unwritten, n);
	if (!a->full)
		archiver_report_waited(a);
}

/*
 * Make one piece of text of all records in memory. Records that waited after a failure have
 * headers, since the schema may have changed between them, and go to a new file. Otherwise the
 * piece has no header, because a header is longer than most records.
 */
static struct store_piece archiver_make_piece(const struct archiver *a)
{
	const struct unwritten *u = &a->unwritten;
	struct store_piece p = {
		.usec = u->part[0].usec, .last_us = u->last_us,
		.group = str_skip(buf_str(&u->text), 1),
	};
	p.fresh = a->full || u->mixed;
	p.marked = p.fresh || u->part[0].marked;
	if (!p.fresh)
		p.group = str_skip(buf_str(&u->text), u->part[0].header);
	return p;
}

static int archiver_flush(struct archiver *a)
{
	struct unwritten *u = &a->unwritten;
	if (u->n == 0)
		return 0;
	struct store_piece p = archiver_make_piece(a);
	size_t n = u->n;
	int e = archiver_deliver(a, &p);
	if (e == -EAGAIN) {
		p.header = (struct str){ u->text.p + 1, u->part[0].header - 1 };
		e = archiver_deliver(a, &p);
	}
	u->in_flight = e == -EINPROGRESS ? n : 0;
	if (e < 0)
		return e;
	a->sent_us = p.last_us;
	archiver_remove_written(a, n);
	return 0;
}

static void archiver_make_header(struct archiver *a)
{
	a->header.n = 0;
	a->maker->put_header(a->arg, &a->header);
	a->header_ns = monotonic_ns();
}

static bool archiver_has_recent_header(const struct archiver *a)
{
	return a->header.n && !a->new_schema && monotonic_ns() - a->header_ns < RECENT_NS;
}

static int archiver_put_group(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	struct store_piece p = { .usec = usec, .marked = marked, .rotate = a->rotate,
				.group = group };
	int e = a->new_schema ? -EAGAIN : archiver_deliver(a, &p);
	if (e != -EAGAIN)
		return e;
	archiver_make_header(a);
	p.header = buf_str(&a->header);
	e = archiver_deliver(a, &p);
	a->new_schema &= e < 0;
	return e;
}

static const char *archiver_reason(const struct archiver *a, int why)
{
	if (why == -EINPROGRESS)
		return "the disk does not answer";
	if (a->stored.unlocked)
		return "its lock is held by another process";
	if (why == -ENOSPC && a->stored.below_floor)
		return "free space is below free-floor";
	return strerror(-why);
}

static int archiver_add_unwritten(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct unwritten *p = &a->unwritten;
	int64_t back_us = p->n ? p->last_us - usec : 0;
	int e = p->n == 0 || a->new_schema || back_us > 0 ? -EAGAIN :
		unwritten_add(p, usec, STR(""), group, marked);
	if (e != -EAGAIN)
		return e;
	if (!archiver_has_recent_header(a))
		archiver_make_header(a);
	buf_add_char(&header, '\n');
	store_put_header(&header, buf_str(&a->header), back_us);
	return unwritten_add(p, usec, buf_str(&header), group, marked);
}

static void archiver_report_full(struct archiver *a, int why)
{
	const struct store_place *to = &a->store.place;
	str_copy(a->why, sizeof(a->why), str_of(archiver_reason(a, why)));
	if (!a->full)
		say_error(to->listener, "%s/%s: %s; the newest record groups wait in memory",
			  to->dir, to->host, a->why);
	a->full = true;
}

/* Keep a record in memory. Returns 0, or -ENOBUFS if there is no room even for its marks. */
static int archiver_keep_group(struct archiver *a, int64_t usec, struct str group, bool marked,
			       int why)
{
	struct unwritten *p = &a->unwritten;
	bool first = p->n == 0;

	archiver_report_full(a, why);
	int e = archiver_add_unwritten(a, usec, group, marked);
	a->new_schema &= e < 0;
	if (why == -EINPROGRESS && first && e == 0)
		p->in_flight = p->n;
	return e < 0 ? -ENOBUFS : 0;
}

/*
 * Return true if the record may be kept in memory after error e. If the first write of all fails,
 * only an error that is likely to pass is retried.
 */
static bool archiver_may_keep(const struct archiver *a, int e)
{
	return a->keep && (a->begun || e == -ENOSPC || e == -ETIMEDOUT || e == -EINPROGRESS);
}

static void archiver_report_recovery(struct archiver *a)
{
	archiver_report_waited(a);
	if (a->full)
		say_notice(a->store.place.listener, "%s/%s: writing again", a->store.place.dir,
			   a->store.place.host);
	a->full = false;
}

/*
 * Handle the result e of a write: if it failed, keep the record in memory if possible. Returns 0 or
 * -errno.
 */
static int archiver_finish(struct archiver *a, int64_t usec, struct str group, bool marked, int e)
{
	a->counts.failed += e < 0;
	bool waits = e < 0 && archiver_may_keep(a, e);
	a->begun = true;
	if (waits)
		return archiver_keep_group(a, usec, group, marked, e);
	if (e == 0)
		archiver_report_recovery(a);
	return e;
}

/*
 * Get the writer's reply to the last piece. Returns 0, -EINPROGRESS if the writer is still busy, or
 * -errno if it wrote none of the records.
 */
static int archiver_collect_answer(struct archiver *a, bool wait)
{
	struct stored got;
	if (!a->writer.busy_ns)
		return 0;
	int e = writer_answer(&a->writer, wait && !writer_hangs(&a->writer), &got);
	if (e == -EINPROGRESS)
		return e;
	if (e == 0)
		e = archiver_note_result(a, &got);
	if (e == 0 && a->unwritten.in_flight)
		archiver_remove_written(a, a->unwritten.in_flight);
	a->unwritten.in_flight = 0;
	return e;
}

/*
 * Returns true if the record may wait in memory for the next batch. A record must be written at
 * once if it has marks, needs a header or a new file, is large, is not later than the record before
 * it, or comes after a failure.
 */
static bool archiver_may_batch(const struct archiver *a, int64_t usec, struct str group,
			       bool marked)
{
	const struct unwritten *u = &a->unwritten;
	return a->no_wait && a->uses_writer && a->begun && !marked && !a->full && !a->rotate &&
	       !a->new_schema && !u->mixed && group.n < HALF &&
	       usec > (u->n ? u->last_us : a->sent_us);
}

static bool archiver_batch_is_due(const struct archiver *a, int64_t usec)
{
	int64_t since = usec - a->sent_us;
	return since < 0 || since >= a->batch_us || a->unwritten.text.n >= HALF ||
	       a->unwritten.n >= UNWRITTEN_GROUPS_MAX / 2;
}

static void archiver_add_to_batch(struct archiver *a, int64_t usec, struct str group)
{
	if (archiver_add_unwritten(a, usec, group, false) < 0 || a->writer.busy_ns ||
	    !archiver_batch_is_due(a, usec))
		return;
	struct store_piece p = archiver_make_piece(a);
	int e = writer_send(&a->writer, &a->store, &p);
	if (e < 0) {
		a->counts.failed++;
		archiver_report_full(a, e);
		return;
	}
	a->unwritten.in_flight = a->unwritten.n;
	a->sent_us = usec;
}

int archiver_put(struct archiver *a, int64_t usec, struct str group, bool marked)
{
	bool laid = archiver_may_batch(a, usec, group, marked);
	int e = archiver_collect_answer(a, !laid);
	if (laid && (e == 0 || (e == -EINPROGRESS && !writer_hangs(&a->writer)))) {
		archiver_add_to_batch(a, usec, group);
		return 0;
	}
	if (e != -EINPROGRESS)
		e = archiver_flush(a);
	if (e == 0)
		e = archiver_put_group(a, usec, group, marked);
	if (e == 0)
		a->sent_us = usec;
	return archiver_finish(a, usec, group, marked, e);
}

int archiver_settle(struct archiver *a)
{
	bool waits = a->unwritten.n > 0;
	int e = archiver_collect_answer(a, true);
	if (e != -EINPROGRESS)
		e = archiver_flush(a);
	if (e == 0 && waits)
		archiver_report_recovery(a);
	else if (e < 0)
		archiver_report_full(a, e);
	return e;
}
