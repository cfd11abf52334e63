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

/* bytes of disk I/O per second: a job that moves less only writes logs */
#define DEMAND_IO_RATE 1e5

/*
 * How many CPUs the tasks of a job wanted. Intervals count only if the waits of nearly all tasks
 * are known.
 */
struct demand {
	double seconds;		/* seconds of all intervals that count; 0: the demand is unknown */
	double cpus;		/* mean number of CPUs that the tasks wanted */
	double waiting;		/* mean number of tasks that waited for a CPU */
	/* mean of the smaller of two numbers: tasks that waited, and idle CPUs of the node */
	double beside_idle;
	double most;		/* largest number of CPUs that the tasks wanted in an interval */
	/* fractions of .seconds in which the tasks wanted one CPU (.one) or none (.none) */
	double one, none;
	/* longest time in which the tasks wanted one CPU, or none: start and end in microseconds */
	int64_t one_from, one_to, none_from, none_to;
	/*
	 * .moving: fraction of .seconds in which the job did I/O, at least 10 MB/s; .moving_cpus,
	 * .other_cpus: mean number of CPUs that the tasks wanted with I/O, and without I/O
	 */
	double moving, moving_cpus, other_cpus;
	/*
	 * fraction of .seconds in which no task wanted a CPU while the job read or wrote at least
	 * DEMAND_IO_RATE
	 */
	double io_asleep;
};

/* The current interval, which is not in the sums yet. */
struct demand_interval {
	int64_t from;		/* start of the interval, microseconds; 0: no sample yet */
	double cpu, wait, of, idle, bytes;
	bool unknown;
};

struct demand_watch {
	/* indexes of the figures that this module reads */
	size_t cpu, wait, of, idle, read, written;
	struct demand_interval now;
	struct demand sum;
	/*
	 * start of the current time in which the tasks want one CPU, or none; 0: they want another
	 * number
	 */
	int64_t one_since, none_since;
};

void demand_init(struct demand_watch *w);
void demand_clear(struct demand_watch *w);
/* Add a sample. step: the change of each figure since the previous sample. */
void demand_take(struct demand_watch *w, const struct step *step, int64_t usec);
/* Return the results, and discard all samples. */
struct demand demand_end(struct demand_watch *w);
/* Add the results of another run of the job. */
void demand_add(struct demand *to, const struct demand *more);
