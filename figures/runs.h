/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h - which runs on single nodes are one job, where an id was used more than once */
#pragma once

#include "figures/report.h"

/*
 * Puts the runs that were found together. Runs that overlap in time and are of one user are one
 * job, whatever else had its id: of all these jobs the newest in the report's time is taken for
 * .node, the others become .other. Of clocks that are apart, short runs need not overlap.
 */
void runs_choose(struct report *r);

/*
 * The jobs that runs_choose() chooses from, of runs of which name, start, end, marks, user and
 * nodes are known: their number, and to .of the job of each run.
 */
size_t runs_find_jobs(const struct report *r, size_t *of);

/* Of all nodes, from the first sample to the last; the longest node's own if clocks are apart. */
int64_t report_duration(const struct report *r);

/* How far the clocks of the nodes are apart, if that is a minute or more; microseconds. */
int64_t report_clocks_apart(const struct report *r);
