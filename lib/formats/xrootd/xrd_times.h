/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_times.h - estimate the times of events in XRootD's streams */
#pragma once

#include "formats/xrootd/xrdstream.h"

/*
 * The time of the current event, and its time window, in microseconds since the epoch. If a packet
 * has no windows, its records get the time of arrival.
 */
struct xrd_times {
	int64_t begin, end;	/* bounds of the time window of the event */
	/* estimated time of the event, or the packet's time of arrival if it has no windows */
	int64_t at;
	bool estimated;
	uint32_t n, i;		/* events in the window, index of the current event */
};

/*
 * Estimate the time of each record of a packet. Events have no time, so they are spread evenly over
 * their time window, whose bounds are exact (XRootD's System Monitoring Reference, 3.5 and 3.6).
 * Call xrd_times_start() before the first xrd_next(), and xrd_times_next() after each xrd_next() of
 * the packet.
 */
void xrd_times_start(struct xrd_times *t, const struct xrd_packet *p, int64_t arrived);
void xrd_times_next(struct xrd_times *t, const struct xrd_packet *p, const struct xrd_record *r);
