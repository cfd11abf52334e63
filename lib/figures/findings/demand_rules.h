/* SPDX-License-Identifier: BSD-3-Clause */
/* demand_rules.h - rules about the CPUs that the job's own tasks wanted, and about how it ended */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define PARALLEL_CPUS 1.7	/* CPUs: a job that used more at some time can work in parallel */

/*
 * Return the node of a job that ran on one node, if the demand of the job's tasks is known for most
 * of the time; else NULL. Programs outside the job do not affect this demand.
 */
const struct node *demand_node(const struct report *r);

/*
 * Variants of rules about the CPUs of the node, for a job whose own demand is known. Their result
 * does not depend on what other programs on the node do.
 */
bool demand_is_serial(const struct report *r, double threshold, struct buf *why);
bool demand_has_serial_part(const struct report *r, double threshold, struct buf *why);
bool demand_is_asleep(const struct report *r, double threshold, struct buf *why);

/* Append the longest time in which no task of the job wanted a CPU, if this was long. */
void demand_put_longest_sleep(const struct report *r, struct buf *why);

/* Rules: see .holds of struct finding_rule. */
bool ended_by_signal(const struct report *r, double threshold, struct buf *why);
bool memory_grew(const struct report *r, double threshold, struct buf *why);
bool bound_to_few(const struct report *r, double threshold, struct buf *why);
bool oversubscribed(const struct report *r, double threshold, struct buf *why);
bool io_stops_work(const struct report *r, double threshold, struct buf *why);
bool sleeps_in_io(const struct report *r, double threshold, struct buf *why);
bool short_processes(const struct report *r, double threshold, struct buf *why);
bool pauses(const struct report *r, double threshold, struct buf *why);
