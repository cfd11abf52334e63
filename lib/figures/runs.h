/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h - decide which runs on single nodes form one job if an id was used more than once */
#pragma once

#include "figures/report.h"

/*
 * Group the runs that were found into jobs. Runs that overlap in time and have the same user form
 * one job, even if other jobs had its id. The newest job in the report's time becomes .node; the
 * others become .other. A run without an end mark may have lasted until .left of its node. If the
 * nodes' clocks differ, short runs need not overlap.
 */
void runs_choose(struct report *r);

/*
 * Find the jobs that runs_choose() would choose from. Each run needs its name, start, end, left,
 * marks, user and number of nodes. Sets of[i] to the job of run i. Returns the number of jobs.
 */
size_t runs_find_jobs(const struct report *r, size_t *of);

/*
 * Compute the time from the first to the last sample of all nodes in microseconds; if clocks
 * differ, the longest time of one node.
 */
int64_t report_duration(const struct report *r);

/* Compute how far the clocks of the nodes differ, in microseconds; 0 if less than a minute. */
int64_t report_clocks_apart(const struct report *r);
