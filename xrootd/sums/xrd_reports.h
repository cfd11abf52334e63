/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_reports.h - what servers' summary packets (xrd.report) hold, as rows of records */
#pragma once

#include <netinet/in.h>
#include "base/buf.h"

struct xrd_reports;
struct xrd_sums;

/* since: the time when the receiver began to listen, or 0: that of the first datagram. */
struct xrd_reports *xrd_reports_new(int64_t since);
void xrd_reports_free(struct xrd_reports *r);

/* Where and when a packet came from; .sums, or NULL, know who has which name. */
struct xrd_report {
	struct str packet;	/* XML or JSON */
	int64_t at;		/* microseconds */
	const struct in6_addr *from;
	struct xrd_sums *sums;
};

/*
 * A summary packet. -EBADMSG, -E2BIG, without expat
 * -EOPNOTSUPP: it cannot be read, nothing is kept of it; -ENOMSG: it is none; -ENOSPC: there is no
 * room for so many devices.
 */
int xrd_reports_add(struct xrd_reports *r, const struct xrd_report *in) MUST_CHECK;

/* A line of the g-stream that has what its server counted since its start; others are left out. */
struct xrd_event;
void xrd_reports_event(struct xrd_reports *r, struct xrd_sums *sums, const struct xrd_event *e);

/* Marks of a receiver that does not know what servers had counted before. */
void xrd_reports_put_restart(struct buf *b);
void xrd_reports_put_schema(const struct xrd_reports *r, struct buf *b);

/*
 * A row for each device whose last packet came up to this time, and then forgets them; how many.
 * Counters go on where a server is started again. The minute before a device's first packet has a
 * row, too, from which reports count.
 */
size_t xrd_reports_put_rows(struct xrd_reports *r, struct buf *b, int64_t until);

/* Rows of packets that came up to this time; what came later stays. */
void xrd_reports_forget(struct xrd_reports *r, int64_t until);
