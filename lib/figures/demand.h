/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demand.h - how many CPUs the job's own tasks wanted over time
 *
 * A task wants a CPU while it runs or waits for one. Other programs make it wait longer, but do not
 * change how many tasks of the job want a CPU.
 */
#pragma once

#include "figures/figure_steps.h"
#include "schema/record.h"

/* Evaluated over the intervals in which the waits of all tasks were read. */
struct demand {
	double seconds;		/* length of these intervals; 0: the demand is unknown */
	double cpus;		/* mean of the CPUs wanted */
	double most;		/* most CPUs wanted in an interval */
	double one, none;	/* parts of .seconds in which one CPU, or none, was wanted */
	int64_t one_from, one_to, none_from, none_to;	/* the longest such times, microseconds */
	/* part of .seconds in which the job moved many bytes, and CPUs wanted then and otherwise */
	double moving, moving_cpus, other_cpus;
	double moved;		/* bytes read and written, in all intervals */
};

/* An interval that is not evaluated yet. */
struct demand_interval {
	int64_t from;		/* 0: no sample yet */
	double cpu, wait, of, bytes;
	bool unknown;
};

struct demand_watch {
	size_t cpu, wait, of, read, written;	/* figures */
	struct demand_interval now;
	struct demand sum;
	int64_t one_since, none_since;	/* start of such a time that goes on; 0: none */
};

void demand_init(struct demand_watch *w);
void demand_clear(struct demand_watch *w);
/* Add the steps of a sample. */
void demand_take(struct demand_watch *w, const struct step *step, int64_t usec);
/* Evaluate the samples, then clear them. */
struct demand demand_end(struct demand_watch *w);
