/* SPDX-License-Identifier: BSD-3-Clause */
/* demand_rules.h - rules about the CPUs that the job's own tasks wanted, and about how it ended */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define PARALLEL_CPUS 1.7	/* CPUs: a job that once used more than this can work in parallel */

/*
 * Return the node of a job that ran on only one node, without GPUs, if the number of CPUs that its
 * tasks wanted is known for at least half of the time; else NULL.
 */
const struct node *demand_node(const struct report *r);

/*
 * Rules for a job with a known demand for CPUs (demand_node()). Programs outside the job do not
 * affect these rules.
 */
bool demand_is_serial(const struct report *r, double threshold, struct buf *why);
bool demand_has_serial_part(const struct report *r, double threshold, struct buf *why);
bool demand_is_asleep(const struct report *r, double threshold, struct buf *why);

/*
 * Append the start and end of the longest time in which no task of the job wanted a CPU, unless
 * this time is short.
 */
void demand_put_longest_sleep(const struct report *r, struct buf *why);

/* Functions for .holds of struct finding_rule. */
bool ended_by_signal(const struct report *r, double threshold, struct buf *why);
bool memory_grew(const struct report *r, double threshold, struct buf *why);
bool bound_to_few(const struct report *r, double threshold, struct buf *why);
bool oversubscribed(const struct report *r, double threshold, struct buf *why);
bool io_stops_work(const struct report *r, double threshold, struct buf *why);
bool waits_for_others_io(const struct report *r, double threshold, struct buf *why);
bool sleeps_in_io(const struct report *r, double threshold, struct buf *why);
bool short_processes(const struct report *r, double threshold, struct buf *why);
bool pauses(const struct report *r, double threshold, struct buf *why);
