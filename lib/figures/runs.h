/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h - decide which runs on single nodes are the same job, if an id was used more than once */
#pragma once

#include "figures/report.h"

/*
 * Group the runs that were found into jobs. Runs that overlap in time and have the same user are
 * one job, even if other jobs had its id. The newest job in the report's time becomes .node; all
 * other jobs become .other. A run without an end mark may have lasted until .left of its node. If
 * the clocks of the nodes differ, short runs need not overlap.
 */
void runs_choose(struct report *r);

/*
 * Find the jobs among which runs_choose() would choose. The members name, start, end, left, marks,
 * user and number of nodes of each run must be set. Sets of[i] to the number of run i's job.
 * Returns the number of jobs.
 */
size_t runs_find_jobs(const struct report *r, size_t *of);

/*
 * Compute the microseconds from the first to the last sample of all nodes. If the nodes' clocks
 * differ, return the longest time of a single node.
 */
int64_t report_duration(const struct report *r);

/* Compute how far the clocks of the nodes differ, in microseconds; 0 if less than a minute. */
int64_t report_clocks_apart(const struct report *r);
