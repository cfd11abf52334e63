/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h - group the runs found on single nodes into jobs, if a job id was used more than once */
#pragma once

#include "figures/report.h"

/*
 * Group the runs in .found into jobs: runs that overlap in time and have the same user are one job.
 * Short runs need not overlap, because the clocks of nodes may differ. The newest job between
 * .since and .until of the report becomes .node, the other jobs become .other. If no job is in this
 * time, both stay empty. A run without an end mark may have lasted until .left of struct node.
 */
void runs_choose(struct report *r);

/*
 * Number the jobs that runs_choose() would find. Sets of[i] to the number, from 0, of the job of
 * run i of .found, and returns the number of jobs. The caller needs to set only name, start, end,
 * left, numbers of missing marks, user and number of nodes of each run.
 */
size_t runs_find_jobs(const struct report *r, size_t *of);

/*
 * Return the duration of the job in microseconds: from the first to the last sample of all nodes
 * or, if the clocks of the nodes differ, the longest duration on a single node.
 */
int64_t report_duration(const struct report *r);

/*
 * Return the largest difference between clocks of nodes, in microseconds; 0 if it is less than a
 * minute.
 */
int64_t report_clocks_apart(const struct report *r);
