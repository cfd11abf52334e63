/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h - decide which runs on single nodes are the same job, if an id was used more than once */
#pragma once

#include "figures/report.h"

/*
 * Find out which runs are the same job: runs that overlap in time and have the same user, even if
 * other jobs had the same id. If the clocks of the nodes differ, short runs need not overlap. The
 * newest job in the report's time becomes .node; all other jobs become .other. If no job is in that
 * time, both stay empty. A run without an end mark may have lasted until .left of its node.
 */
void runs_choose(struct report *r);

/*
 * Number the jobs that runs_choose() would find: sets of[i] to the number, from 0, of the job of
 * run i, and returns the number of jobs. Each run needs name, start, end, left, marks, user and
 * number of nodes.
 */
size_t runs_find_jobs(const struct report *r, size_t *of);

/*
 * Return the microseconds from the first to the last sample of all nodes or, if the clocks of the
 * nodes differ, the longest time on a single node.
 */
int64_t report_duration(const struct report *r);

/*
 * Return the largest difference between the clocks of the nodes in microseconds; 0 if below a
 * minute.
 */
int64_t report_clocks_apart(const struct report *r);
