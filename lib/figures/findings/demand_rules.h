/* SPDX-License-Identifier: BSD-3-Clause */
/* demand_rules.h - rules about the CPUs that the job's own tasks wanted, and about how it ended */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define PARALLEL_CPUS 1.7	/* CPUs: a job that used more at some time can work in parallel */

/*
 * Return the node of a job that ran on a single node without GPUs, if it is known for at least half
 * of the time how many CPUs the job wanted; else NULL.
 */
const struct node *demand_node(const struct report *r);

/* Rules for a job whose demand for CPUs is known. Other programs on the node do not affect them. */
bool demand_is_serial(const struct report *r, double threshold, struct buf *why);
bool demand_has_serial_part(const struct report *r, double threshold, struct buf *why);
bool demand_is_asleep(const struct report *r, double threshold, struct buf *why);

/* Append the longest time in which no task of the job wanted a CPU, unless it is short. */
void demand_put_longest_sleep(const struct report *r, struct buf *why);

/* Rules, for .holds of struct finding_rule. */
bool ended_by_signal(const struct report *r, double threshold, struct buf *why);
bool memory_grew(const struct report *r, double threshold, struct buf *why);
bool bound_to_few(const struct report *r, double threshold, struct buf *why);
bool oversubscribed(const struct report *r, double threshold, struct buf *why);
bool io_stops_work(const struct report *r, double threshold, struct buf *why);
bool waits_for_others_io(const struct report *r, double threshold, struct buf *why);
bool sleeps_in_io(const struct report *r, double threshold, struct buf *why);
bool short_processes(const struct report *r, double threshold, struct buf *why);
bool pauses(const struct report *r, double threshold, struct buf *why);
