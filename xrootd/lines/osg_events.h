/* SPDX-License-Identifier: BSD-3-Clause */
/* osg_events.h - events of the g-stream as messages of OSG's and WLCG's collectors */
#pragma once

#include "base/buf.h"
#include "xrootd/lines/line_filter.h"
#include "xrootd/join/xrd_accesses.h"

enum osg_kind {
	OSG_CACHE,	/* close of a cached file */
	OSG_COPY,	/* end of a third-party copy */
	OSG_CONNECTION,	/* end of a TCP connection */
};

/*
 * Check if the event is of this kind. If so, set the paths that filters use, with their text in
 * *text.
 */
bool osg_event_about(const struct xrd_event *e, enum osg_kind kind, struct buf *text,
		     struct line_about *about) MUST_CHECK;

/*
 * Append one message, with the keys of both collectors of opensciencegrid:
 * xrootd-monitoring-collector (e8161f0) and xrootd-monitoring-shoveler (2.3.0). Keys that the
 * server does not send are left out. URLs are cut at "?", because secrets may follow. wlcg_host:
 * name of this host for the WLCG format, or NULL. now: microseconds since 1970.
 */
void osg_event_put(struct buf *b, const struct xrd_event *e, enum osg_kind kind, int64_t now,
		   const char *wlcg_host);
