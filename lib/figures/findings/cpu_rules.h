/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_rules.h - rules about CPU time: use by the job and by others, waits, spread over CPUs */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

/*
 * percent of the earlier CPU use: with less, the job has stopped (rule "stopped"); with more, it
 * has faded
 */
#define STOPPED .1

/* Return the CPU seconds that the job lost to other programs on all nodes. */
double cpu_missed_seconds(const struct report *r);

/* Functions for .holds of struct finding_rule. */
bool no_cpu_time(const struct report *r, double threshold, struct buf *why);
bool idle_nodes(const struct report *r, double threshold, struct buf *why);
bool waits_beside_idle(const struct report *r, double threshold, struct buf *why);
bool waits_for_cpu(const struct report *r, double threshold, struct buf *why);
bool waits_for_io(const struct report *r, double threshold, struct buf *why);
bool waits_for_memory(const struct report *r, double threshold, struct buf *why);
bool serial(const struct report *r, double threshold, struct buf *why);
bool serial_part(const struct report *r, double threshold, struct buf *why);
bool uneven_cpus(const struct report *r, double threshold, struct buf *why);
bool asleep(const struct report *r, double threshold, struct buf *why);
bool low_cpu(const struct report *r, double threshold, struct buf *why);
bool stopped(const struct report *r, double threshold, struct buf *why);
bool faded(const struct report *r, double threshold, struct buf *why);
bool uneven(const struct report *r, double threshold, struct buf *why);
bool other_programs(const struct report *r, double threshold, struct buf *why);
