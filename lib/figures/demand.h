/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demand.h - how many CPUs the job's own tasks wanted over time
 *
 * A task wants a CPU while it runs or waits for a CPU. Programs outside the job make the job's
 * tasks wait longer, but do not change how many of these tasks want a CPU.
 */
#pragma once

#include "figures/figure_steps.h"
#include "schema/record.h"

/* bytes per second: a job with less disk I/O possibly writes nothing but logs */
#define DEMAND_IO_RATE 1e5

/*
 * How many CPUs the tasks of a job wanted. An interval between samples counts only if the waits of
 * nearly all tasks are known.
 */
struct demand {
	double seconds;		/* seconds of all intervals that count; 0: the demand is unknown */
	double cpus;		/* mean number of CPUs that the tasks wanted */
	double waiting;		/* mean number of tasks that waited for a CPU */
	/*
	 * mean over time of the smaller number: tasks that waited for a CPU, or idle CPUs of the
	 * node
	 */
	double beside_idle;
	double most;		/* largest number of CPUs that the tasks wanted in an interval */
	/* fractions of .seconds in which the tasks wanted one CPU (.one) or none (.none) */
	double one, none;
	/*
	 * start and end, in microseconds, of the longest times in which the tasks wanted one CPU,
	 * or none
	 */
	int64_t one_from, one_to, none_from, none_to;
	/*
	 * .moving: fraction of .seconds in which the job did disk I/O of at least 10 MB/s;
	 * .moving_cpus: mean number of CPUs that the tasks wanted in this time; .other_cpus: the
	 * same in the rest of .seconds
	 */
	double moving, moving_cpus, other_cpus;
	/*
	 * fraction of .seconds in which no task wanted a CPU, in intervals with disk I/O of at
	 * least DEMAND_IO_RATE
	 */
	double io_asleep;
};

/* The current interval, which has not been added to the sums yet. */
struct demand_interval {
	int64_t from;		/* start of the interval, microseconds; 0: no sample yet */
	double cpu, wait, of, idle, bytes;
	bool unknown;
};

struct demand_watch {
	/* indexes in figures[] of the figures from which the demand is computed */
	size_t cpu, wait, of, idle, read, written;
	struct demand_interval now;
	struct demand sum;
	/*
	 * start of the current time in which the tasks want one CPU, or none; 0: the tasks want
	 * another number of CPUs
	 */
	int64_t one_since, none_since;
};

void demand_init(struct demand_watch *w);
void demand_clear(struct demand_watch *w);
/* Add a sample taken at `usec`. step: the change of each figure since the previous sample. */
void demand_take(struct demand_watch *w, const struct step *step, int64_t usec);
/* Return the results, and discard all samples. */
struct demand demand_end(struct demand_watch *w);
/* Add the results of another run of the job on the node. */
void demand_add(struct demand *to, const struct demand *more);
