/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demand.h - how many CPUs the job's own tasks wanted over time
 *
 * A task wants a CPU while it runs or waits for one. Programs outside the job make its tasks wait
 * longer, but do not change how many of its tasks want a CPU.
 */
#pragma once

#include "figures/figure_steps.h"
#include "schema/record.h"

/* bytes per second on disks: writing logs moves less */
#define DEMAND_IO_RATE 1e5

/* Results over the intervals in which the waits of nearly all tasks of the job were read. */
struct demand {
	double seconds;		/* total length of these intervals; 0: the demand is unknown */
	double cpus;		/* mean number of CPUs that the tasks wanted */
	double most;		/* largest number of CPUs that the tasks wanted in an interval */
	/* fractions of .seconds in which the tasks wanted one CPU, or none */
	double one, none;
	/*
	 * start and end of the longest time in which the tasks wanted one CPU, or none;
	 * microseconds
	 */
	int64_t one_from, one_to, none_from, none_to;
	/*
	 * .moving: fraction of .seconds in which the job did I/O; .moving_cpus, .other_cpus: mean
	 * number of CPUs that the tasks wanted during I/O, and at other times
	 */
	double moving, moving_cpus, other_cpus;
	/*
	 * fraction of .seconds in which no task wanted a CPU, in intervals in which the job read or
	 * wrote at least DEMAND_IO_RATE bytes per second
	 */
	double io_asleep;
};

/* An interval that is not evaluated yet. */
struct demand_interval {
	int64_t from;		/* start of the interval; 0: there was no sample yet */
	double cpu, wait, of, bytes;
	bool unknown;
};

struct demand_watch {
	size_t cpu, wait, of, read, written;	/* indexes of the figures that this module reads */
	struct demand_interval now;
	struct demand sum;
	/*
	 * time since which the tasks have wanted one CPU, or none; 0: they now want another number
	 */
	int64_t one_since, none_since;
};

void demand_init(struct demand_watch *w);
void demand_clear(struct demand_watch *w);
/* Add the changes of the figures in the newest sample. */
void demand_take(struct demand_watch *w, const struct step *step, int64_t usec);
/* Evaluate the samples, then clear them. */
struct demand demand_end(struct demand_watch *w);
