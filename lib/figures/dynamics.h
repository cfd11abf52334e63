/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamics.h - a job over time on a node: peak rates, fading, memory growth, busy CPUs and GPUs */
#pragma once

#include "figures/demand.h"
#include "figures/derived.h"
#include "figures/figure_steps.h"
#include "figures/held.h"
#include "figures/procs.h"
#include "figures/share.h"
#include "figures/tally.h"
#include "schema/node_clock.h"

/* fraction of a node's CPU time that an idle kernel may use */
#define KERNEL_ITSELF .02

/* CPUs: if the cgroup used less, the job may work outside of its cgroup, for example through ssh */
#define OWN_LEAST .01

/* Return the busy CPU time: user time, and system time beyond what an idle kernel needs. */
static inline double busy_time(double user, double system, double whole)
{
	double itself = KERNEL_ITSELF * whole;
	return user + (system > itself ? system - itself : 0);
}

/* The largest rate between two consecutive samples. */
struct peak {
	double rate;
	int64_t at;	/* end of the interval with this rate, in microseconds; 0: not known */
};

struct course {
	struct peak peak[DERIVED_MAX];	/* peaks of the derived figures that are rates */
	uint32_t cores;		/* cores of the node, from the file's header; 0: unknown */
	uint32_t fault_ns;	/* CPU time of a page fault, from the file's header; 0: unknown */
	/* peak performance of the node, from the file's header; 0: unknown */
	struct peaks peaks;
	/* number of CPUs of the node, and of CPUs that were busy for more than half of the time */
	uint32_t cpus, cpus_busy;
	/* number of CPUs that were busy for more than a twentieth of the time */
	uint32_t cpus_used;
	double widest;		/* largest number of CPUs that worked between two samples */
	double busiest;			/* fraction of the time for which the busiest CPU worked */
	/*
	 * Means over all intervals between samples; 0: unknown. .top: fraction of an interval for
	 * which its busiest CPU worked; .rest: the same for the other CPUs that worked.
	 */
	double top, rest;
	/* fraction of the time in which about one CPU was busy */
	double one_cpu;
	/* longest time in which about one CPU was busy: start and end in microseconds */
	int64_t one_from, one_to;
	/* number of GPUs with a reading, and of GPUs that were idle in all readings */
	uint32_t gpus, gpus_idle;
	/* the job's share of the node's energy, from each source */
	struct share share[ENERGY_NONE];
	struct held held;	/* GPUs that the job's mark lists, and how long each was idle */
	struct gpus gpus_used;
	/* fading: smallest ratio of the CPU use after a sample to the CPU use before it */
	double fade;
	/* time of the sample at which the ratio was .fade; 0: there were too few samples */
	int64_t fade_at;
	bool fade_own;	/* .fade is computed from the job's own CPU use, not from the node's */
	/* growth of memory in the second half of the run, bytes per second; 0: no steady growth */
	double grows;
	double grows_error;	/* standard error of .grows */
	/* bytes of memory at the end of the job, on the fitted line */
	double grown_to;
	struct demand demand;	/* CPUs that the job's own tasks wanted */
	struct bound bound;	/* processes that are bound to fewer CPUs than the node has */
};

struct dynamics;

struct dynamics *dynamics_new(void);
void dynamics_free(struct dynamics *d);		/* NULL is allowed */
/* Discard all samples, which turned out not to be the job's. */
void dynamics_clear(struct dynamics *d);
/* Add a sample, which the tally must already contain. */
void dynamics_take(struct dynamics *d, const struct job_sample *t);
/* Return the change of each figure in the newest sample. */
const struct steps *dynamics_steps(const struct dynamics *d);
/*
 * Store the results in ret, in which they must be zero before, and discard the samples. The tally
 * must still have the job's samples. alone: no other job was on the node.
 */
void dynamics_end(struct dynamics *d, struct tally *t, bool alone, struct course *ret);
