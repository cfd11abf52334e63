/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_times.h - when the events of a datagram happened: spread evenly over their window */
#pragma once

#include "formats/xrootd/xrdstream.h"

/* Microseconds since 1970. Of records that have no window of their own: the time of arrival. */
struct xrd_times {
	int64_t begin, end;	/* of the window: the event is in it */
	int64_t at;		/* an estimate, if there are windows at all */
	bool estimated;
	uint32_t n, i;		/* events in the window, and which one this is */
};

/*
 * Single events have no time: the receiver spreads them evenly over the window, whose bounds are
 * exact (seed, 3.5 and 3.6). Start before the first xrd_next(), go on after each with the packet
 * as it is then.
 */
void xrd_times_start(struct xrd_times *t, const struct xrd_packet *p, int64_t arrived);
void xrd_times_next(struct xrd_times *t, const struct xrd_packet *p, const struct xrd_record *r);
