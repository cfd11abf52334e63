/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_reports.h - convert servers' summary packets (xrd.report) into rows of records */
#pragma once

#include <netinet/in.h>
#include "base/buf.h"

struct xrd_reports;
struct xrd_sums;

/*
 * Allocate empty reports. since: when the receiver began to listen, in microseconds since 1970; 0:
 * the time of the first datagram.
 */
struct xrd_reports *xrd_reports_new(int64_t since);
void xrd_reports_free(struct xrd_reports *r);

/* A summary packet. `sums` has the names of servers, or is NULL. */
struct xrd_report {
	struct str packet;	/* text in XML or JSON */
	int64_t at;		/* time of arrival, in microseconds since 1970 */
	const struct in6_addr *from;
	struct xrd_sums *sums;
};

/*
 * Add a summary packet. Returns 0; -ENOMSG if it is not a summary packet; -ENOSPC if there are too
 * many devices, after adding those that fit; or -EBADMSG, -E2BIG or (without expat) -EOPNOTSUPP if
 * it cannot be read.
 */
int xrd_reports_add(struct xrd_reports *r, const struct xrd_report *in) MUST_CHECK;

/*
 * Add values that a server has counted since its start, from a g-stream line. Ignore other lines.
 * sums must not be NULL.
 */
struct xrd_event;
void xrd_reports_event(struct xrd_reports *r, struct xrd_sums *sums, const struct xrd_event *e);

/* Append restart marks, because earlier counts of the servers are unknown. */
void xrd_reports_put_restart(struct buf *b);
void xrd_reports_put_schema(const struct xrd_reports *r, struct buf *b);

/*
 * Append a row for each device with a packet up to this time, and forget these packets. Counters
 * continue when a server is restarted. The first row of a device is a baseline, for the minute
 * before its first packet. Returns the number of rows.
 */
size_t xrd_reports_put_rows(struct xrd_reports *r, struct buf *b, int64_t until);

/* Forget packets up to this time. */
void xrd_reports_forget(struct xrd_reports *r, int64_t until);
