/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_times.h - estimate the times of the events in a datagram */
#pragma once

#include "formats/xrootd/xrdstream.h"

/*
 * The window of the current event; microseconds since 1970. Records without a window have the time
 * of arrival.
 */
struct xrd_times {
	int64_t begin, end;	/* bounds of the window that contains the event */
	int64_t at;		/* estimate of the event's time, if there are windows */
	bool estimated;
	uint32_t n, i;		/* number of events in the window, and index of the current event */
};

/*
 * Follow the records of a packet. Single events have no time, so they are spread evenly over their
 * window, whose bounds are exact (XRootD's System Monitoring Reference, 3.5 and 3.6). Call
 * xrd_times_start() before the first xrd_next(), and xrd_times_next() after each xrd_next(), with
 * the packet in its new state.
 */
void xrd_times_start(struct xrd_times *t, const struct xrd_packet *p, int64_t arrived);
void xrd_times_next(struct xrd_times *t, const struct xrd_packet *p, const struct xrd_record *r);
