/* SPDX-License-Identifier: BSD-3-Clause */
/* osg_summary.h - summary packets as the messages that OSG's collector makes of them */
#pragma once

#include <netinet/in.h>
#include "base/buf.h"

/*
 * Counters are what a process counted since its report before, as Collectors/SummaryCollector.py
 * (opensciencegrid/xrootd-monitoring-collector, e8161f0) has it: the first report of a process, one
 * that is late, and what is of another program give no message. One without a site has the site
 * "UnknownSite" and no more than its head.
 */
struct osg_summaries;

struct osg_summaries *osg_summaries_new(void);
void osg_summaries_free(struct osg_summaries *s);
void osg_summary_put(struct buf *b, struct osg_summaries *s, struct str packet,
		     const struct in6_addr *from);
