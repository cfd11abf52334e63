/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_sums.h - sums of all monitoring by server and minute, as rows of records */
#pragma once

#include "schema/rows.h"
#include "xrootd/sums/sums_minute.h"
#include "xrootd/join/xrd_accesses.h"

/*
 * A count belongs to the minute of its event. The time of an event (see xrd_times.h) is estimated
 * within the window that the server gives. A window has ended before it is sent, and usually lasts
 * at most a minute, so a minute is reported a little more than a minute after its end. A count that
 * arrives even later is added to the oldest minute not reported yet: it is late, but not lost.
 * Datagrams, and records without a window (users, transfers), belong to the minute of their
 * arrival. Sums only grow, also when a server is restarted.
 */
struct xrd_sums;

/* Allocate empty sums of these servers, and set all->on_forgotten. */
struct xrd_sums *xrd_sums_new(const struct xrd_sums_listener *to, struct xrd_servers *all);
void xrd_sums_free(struct xrd_sums *s);

/* Call this before each datagram, and at least every second. now: microseconds since 1970. */
void xrd_sums_tick(struct xrd_sums *s, int64_t now);
void xrd_sums_event(struct xrd_sums *s, const struct xrd_event *e);
void xrd_sums_transfer(struct xrd_sums *s, const struct xrd_transfer *t);
/*
 * Restart the sums at 0, and drop all minutes up to until_us: an earlier run has already written
 * them, after it saved its sums.
 */
void xrd_sums_rebase(struct xrd_sums *s, int64_t until_us);
/*
 * Get the name of the sums for an address: "NAME@ADDRESS" if the name belongs to another address,
 * or "others" if there are too many servers. Valid until the next call.
 */
const char *xrd_sums_name(struct xrd_sums *s, const char *name, const struct in6_addr *address);

/* Bytes that a server received and sent since its last summary packet. */
struct xrd_link_bytes {
	const char *name;
	const struct in6_addr *from;
	uint64_t in, out;
};
void xrd_sums_link(struct xrd_sums *s, const struct xrd_link_bytes *more);

void xrd_sums_finish(struct xrd_sums *s);	/* report all minutes up to now */

/*
 * Append the schema ("!xrootd ..." and other types), the restart marks ("%counters_restart TYPE"),
 * or the rows. xrd_sums_put_rows() returns the number of rows.
 */
void xrd_sums_put_schema(struct buf *b);
void xrd_sums_put_restart(struct buf *b);
size_t xrd_sums_put_rows(struct buf *b, const struct xrd_sums *s);
