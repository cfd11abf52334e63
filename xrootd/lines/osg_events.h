/* SPDX-License-Identifier: BSD-3-Clause */
/* osg_events.h - events of the g-stream as messages of OSG's and WLCG's collectors */
#pragma once

#include "base/buf.h"
#include "tracers/xrootd/lines/line_filter.h"
#include "tracers/xrootd/join/xrd_accesses.h"

enum osg_kind {
	OSG_CACHE,	/* a file of a cache was closed */
	OSG_COPY,	/* a third-party copy ended */
	OSG_CONNECTION,	/* a TCP connection ended */
};

/*
 * Whether it is an event of the kind; then .path, and .other_path of a copy, are what filters look
 * at, in *text.
 */
bool osg_event_about(const struct xrd_event *e, enum osg_kind kind, struct buf *text,
		     struct line_about *about) MUST_CHECK;

/*
 * Puts one message, with the keys of both collectors of opensciencegrid:
 * xrootd-monitoring-collector (e8161f0) and xrootd-monitoring-shoveler (2.3.0). A key whose value
 * the server does not send is left out; URLs end at a "?", after which there may be secrets.
 * wlcg_host: this host, for the form of WLCG, or NULL; now: microseconds since 1970.
 */
void osg_event_put(struct buf *b, const struct xrd_event *e, enum osg_kind kind, int64_t now,
		   const char *wlcg_host);
