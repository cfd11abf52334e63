/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_xrd_join.c - for any datagrams of servers, memory stays bounded, and lines are whole */
#include <stdlib.h>
#include <string.h>
#include "formats/xrootd/shoveler.h"
#include "xrootd/lines/osg.h"
#include "xrootd/lines/osg_events.h"
#include "xrootd/lines/osg_summary.h"
#include "xrootd/lines/xrd_events.h"
#include "xrootd/sums/xrd_reports.h"
#include "xrootd/sums/xrd_sums.h"
#include "xrootd/lines/xrd_transfer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct buf *b)
{
	if (b->n && (b->p[0] != '{' || b->p[b->n - 1] != '\n' || b->p[b->n - 2] != '}' ||
		     memchr(b->p, '\n', b->n) != b->p + b->n - 1))
		abort();
	b->n = 0;
}

/* Outputs for all reports. */
struct out {
	struct buf b;
	struct xrd_sums *sums;
	struct xrd_reports *reports;
	size_t minutes;
};

static void on_transfer(void *arg, const struct xrd_transfer *t)
{
	struct out *o = arg;
	xrd_transfer_put(&o->b, t);
	check(&o->b);
	osg_transfer_put(&o->b, t);
	check(&o->b);
	wlcg_transfer_put(&o->b, t, 0, "h");
	check(&o->b);
	xrd_sums_transfer(o->sums, t);
}

static void on_minute(void *arg, int64_t usec, const struct xrd_sums *s)
{
	struct out *o = arg;
	size_t rows = xrd_sums_put_rows(&o->b, s), lines = 0;
	rows += xrd_reports_put_rows(o->reports, &o->b, usec);
	for (size_t i = 0; i < o->b.n; i++)
		lines += o->b.p[i] == '\n';
	if (rows != lines || usec < 0 || (rows && o->b.p[o->b.n - 1] != '\n'))
		abort();
	o->b.n = 0;
	o->minutes++;
}

static void put_messages(struct buf *b, const struct xrd_event *e)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct line_about about;
	for (int kind = OSG_CACHE; kind <= OSG_CONNECTION; kind++) {
		if (!osg_event_about(e, (enum osg_kind)kind, &text, &about))
			continue;
		osg_event_put(b, e, (enum osg_kind)kind, 0, e->packet->seq & 2 ? "h" : NULL);
		check(b);
	}
}

static void on_event(void *arg, const struct xrd_event *e)
{
	struct out *o = arg;
	struct buf *b = &o->b;
	xrd_sums_event(o->sums, e);
	if (e->times->at < e->times->begin || e->times->at > e->times->end)
		abort();
	/* write only one of the forms, because writing takes most of the time */
	if (e->packet->seq & 1) {
		xrd_event_csv(b, e);
		b->n = 0;
		return;
	}
	xrd_event_put(b, e);
	check(b);
	put_messages(b, e);
}

/* Check that the message made from a datagram gives the same datagram again. */
static void check_shovel(struct str datagram, const struct in6_addr *from)
{
	struct buf line CLEANUP(buf_free) = { 0 }, again CLEANUP(buf_free) = { 0 };
	struct shoveled s;
	shoveler_put(&line, &(struct shoveled){ *from, 1, 7000001, "" }, datagram);
	line.n--;	/* the newline */
	if (shoveler_read(buf_str(&line), &s, &again) < 0 || s.port != 1 || s.usec != 7000001 ||
	    memcmp(&s.address, from, sizeof(*from)) != 0 || !str_eq(buf_str(&again), datagram))
		abort();
}

static void check_summary(struct buf *b, struct str packet, const struct in6_addr *from)
{
	static struct osg_summaries *s;
	s = s ? s : osg_summaries_new();
	osg_summary_put(b, s, packet, &(struct xrd_source){ *from, 1, NULL });
	check(b);
}

/* The input has datagrams: two bytes for the length, one for sender and time, then the datagram. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	struct out out = { .minutes = 0 };
	const struct xrd_listener to = { on_transfer, on_event, &out };
	const struct xrd_sums_listener minutes = { on_minute, &out };
	struct xrd_join *j = xrd_join_new(&to, 8192);
	struct wire w = wire_of((struct str){ (const char *)data, size });
	int64_t now = 0;
	out.sums = xrd_sums_new(&minutes, xrd_join_servers(j));
	out.reports = xrd_reports_new(0);

	while (w.n && !w.bad) {
		size_t n = wire_u16(&w);
		uint8_t how = wire_u8(&w);
		struct xrd_source from = { .port = how & 3 };
		from.address.s6_addr[15] = how & 1;
		struct str s = wire_bytes(&w, n < w.n ? n : w.n);
		one.n = 0;
		buf_add(&one, s);
		if (one.n >= 4 && strchr("=dipuxUTfrtg", one.p[0]) && one.p[0]) {
			one.p[2] = (char)(one.n >> 8);
			one.p[3] = (char)one.n;
		}
		now += how >> 2 == 63 ? 5 * XRD_MINUTE : (int64_t)(how >> 2) * 100000;
		xrd_sums_tick(out.sums, now);
		const struct xrd_report report = { buf_str(&one), now, &from.address, out.sums };
		if (xrd_reports_add(out.reports, &report) > 0)
			abort();
		check_shovel(buf_str(&one), &from.address);
		check_summary(&out.b, buf_str(&one), &from.address);
		xrd_join_add(j, &from, buf_str(&one), now);
	}
	xrd_join_finish(j);
	xrd_sums_finish(out.sums);
	xrd_join_free(j);
	xrd_sums_free(out.sums);
	xrd_reports_free(out.reports);
	buf_free(&out.b);
	return 0;
}
