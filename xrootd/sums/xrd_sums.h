/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_sums.h - what servers report, added up by server and minute, as rows of records */
#pragma once

#include "schema/rows.h"
#include "tracers/xrootd/sums/sums_minute.h"
#include "tracers/xrootd/join/xrd_accesses.h"

/*
 * A count belongs to the minute in which its event was: its time is that of xrd_times.h, spread
 * over the window that the server gives. Windows are over before they are sent, and most last no
 * more than a minute, so a minute is reported that long and a little more after its end; what comes
 * later still is added to the oldest minute not yet reported. Nothing is lost by that, it is
 * only some minutes late. Datagrams, and records that have no window (users, transfers), belong to
 * the minute of their arrival. Sums only grow, also where a server is started again.
 */
struct xrd_sums;

struct xrd_sums *xrd_sums_new(const struct xrd_sums_listener *to, struct xrd_servers *all);
void xrd_sums_free(struct xrd_sums *s);

/* Before each datagram, and at least every second: usec since 1970. */
void xrd_sums_tick(struct xrd_sums *s, int64_t now);
void xrd_sums_event(struct xrd_sums *s, const struct xrd_event *e);
void xrd_sums_transfer(struct xrd_sums *s, const struct xrd_transfer *t);
/*
 * Sums of an earlier run that wrote groups after these were saved, up to until_us: they begin at 0
 * again, and what was written is not counted twice.
 */
void xrd_sums_rebase(struct xrd_sums *s, int64_t until_us);
/*
 * The name of these sums for that address: "NAME@ADDRESS" where sums of this name have come from
 * another one. Until the next call.
 */
const char *xrd_sums_name(struct xrd_sums *s, const char *name, const struct in6_addr *address);

/* Bytes that a server of this name has received and sent since its last summary packet. */
struct xrd_link_bytes {
	const char *name;
	const struct in6_addr *from;
	uint64_t in, out;
};
void xrd_sums_link(struct xrd_sums *s, const struct xrd_link_bytes *more);

void xrd_sums_finish(struct xrd_sums *s);	/* reports what it has, up to now */

/* "!xrootd ..." and the other types; "%counters_restart TYPE" of each; their rows, how many. */
void xrd_sums_put_schema(struct buf *b);
void xrd_sums_put_restart(struct buf *b);
size_t xrd_sums_put_rows(struct buf *b, const struct xrd_sums *s);
