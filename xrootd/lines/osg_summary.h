/* SPDX-License-Identifier: BSD-3-Clause */
/* osg_summary.h - summary packets as messages of OSG's collector */
#pragma once

#include "base/buf.h"
#include "xrootd/join/xrd_servers.h"

/*
 * Newest report of each server process, from which the increase of counters is computed as in
 * Collectors/SummaryCollector.py (opensciencegrid/xrootd-monitoring-collector, e8161f0). The first
 * report of a process, a late report, and a report of another program give no message. But a report
 * without a site, even the first one, gives a message with the site "UnknownSite" and without
 * values. An empty site counts as a site.
 */
struct osg_summaries;

struct osg_summaries *osg_summaries_new(void);
void osg_summaries_free(struct osg_summaries *s);
void osg_summary_put(struct buf *b, struct osg_summaries *s, struct str packet,
		     const struct xrd_source *from);
