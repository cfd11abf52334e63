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

/* fraction of a node's CPU time that the kernel may use even without a job */
#define KERNEL_ITSELF .02

/* CPUs: a job whose cgroup used less may work outside of its cgroup, for example through ssh */
#define OWN_LEAST .01

/*
 * Compute the busy CPU time: all user time, and the system time beyond the fraction of all time
 * (KERNEL_ITSELF) that an idle kernel needs.
 */
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
	 * Means over the intervals between samples; 0: unknown. .top is the fraction of an interval
	 * for which its busiest CPU worked. .rest is the same for the other CPUs that worked in the
	 * interval.
	 */
	double top, rest;
	/* fraction of the time in which all CPUs together did the work of one CPU */
	double one_cpu;
	/* start and end of the longest time with the work of one CPU */
	int64_t one_from, one_to;
	/* number of GPUs with a reading, and of GPUs that were idle in all readings */
	uint32_t gpus, gpus_idle;
	/* for each source of energy: the job's share of it */
	struct share share[ENERGY_NONE];
	struct held held;	/* GPUs that the job's mark lists, and how long each was idle */
	struct gpus gpus_used;
	/*
	 * fading (CPU use that falls): smallest ratio, over all samples, of the CPU use after the
	 * sample to the CPU use before the sample
	 */
	double fade;
	/* time of the sample that gave .fade; 0: there were too few samples */
	int64_t fade_at;
	bool fade_own;	/* .fade is computed from the job's own CPU use, not from the node's */
	/* growth of memory in the second half of the run, bytes per second; 0: no steady growth */
	double grows;
	double grows_error;	/* standard error of .grows */
	/* memory at the end of the job according to the fitted line, bytes */
	double grown_to;
	struct demand demand;	/* CPUs that the job's own tasks wanted */
	struct bound bound;	/* processes that are bound to fewer CPUs than the node has */
};

struct dynamics;

struct dynamics *dynamics_new(void);
void dynamics_free(struct dynamics *d);		/* accepts NULL */
/* discard all samples, because they turned out not to be the job's */
void dynamics_clear(struct dynamics *d);
/* Add a sample that the tally already contains. */
void dynamics_take(struct dynamics *d, const struct job_sample *t);
/* changes of all figures in the newest sample */
const struct steps *dynamics_steps(const struct dynamics *d);
/*
 * Evaluate the samples into ret, then discard them. The tally must still hold the job's samples.
 * alone: no other job was on the node.
 */
void dynamics_end(struct dynamics *d, struct tally *t, bool alone, struct course *ret);
