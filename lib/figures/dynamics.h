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

/* CPUs: if the job's cgroup used less, the job may work outside its cgroup, such as by ssh */
#define OWN_LEAST .01

/*
 * Return the busy CPU time: user time, plus system time beyond that of an idle kernel. whole: time
 * of all CPUs.
 */
static inline double busy_time(double user, double system, double whole)
{
	double itself = KERNEL_ITSELF * whole;
	return user + (system > itself ? system - itself : 0);
}

/* The largest rate of a figure between two consecutive samples. */
struct peak {
	double rate;
	int64_t at;	/* end of the interval with this rate, in microseconds; 0: unknown */
};

struct course {
	struct peak peak[DERIVED_MAX];	/* peaks of the derived figures that are rates */
	uint32_t cores;		/* cores of the node, from the file's header; 0: unknown */
	uint32_t fault_ns;	/* CPU time of a page fault, from the file's header; 0: unknown */
	/* peak performance of the node, from the file's header; 0: unknown */
	struct peaks peaks;
	/* numbers of CPUs: of the node, and busy for more than half of the job's time */
	uint32_t cpus, cpus_busy;
	/* number of CPUs that were busy for more than 1/20 of the job's time */
	uint32_t cpus_used;
	double widest;		/* largest mean number of busy CPUs between two samples */
	double busiest;	/* fraction of the job's time for which the CPU with most work was busy */
	/*
	 * Means over all intervals between samples; 0: unknown. .top_share: fraction of the
	 * interval for which the busiest CPU of this interval worked; .others_share: the same for
	 * the other CPUs that worked in it.
	 */
	double top_share, others_share;
	/* fraction of the job's time in which about one CPU was busy */
	double one_cpu;
	/* start and end, in microseconds, of the longest time in which about one CPU was busy */
	int64_t one_from, one_to;
	/* numbers of GPUs: with a reading, and idle in all readings */
	uint32_t gpus, gpus_idle;
	/* the job's share of the node's energy, by each source of energy readings */
	struct share share[ENERGY_NONE];
	/* GPUs allocated to the job according to its mark, and how long each was idle */
	struct held held;
	struct gpus gpus_used;
	/* fading: CPU use after a sample, divided by the use before it; smallest of these ratios */
	double fade;
	/* time of the sample with the ratio .fade; 0: .fade is unknown */
	int64_t fade_at;
	/* .fade is computed from the job's own CPU use, not from the node's */
	bool fade_of_job;
	/*
	 * growth of memory use in the second half of the run, bytes per second; 0: no steady growth
	 */
	double grows;
	double grows_error;	/* standard error of .grows */
	/* bytes of memory use at the end of the job, by the line fitted to samples */
	double grown_to;
	struct demand demand;	/* CPUs that the job's own tasks wanted */
	struct bound bound;	/* processes that are bound to fewer CPUs than the node has */
};

struct dynamics;

struct dynamics *dynamics_new(void);
void dynamics_free(struct dynamics *d);		/* NULL is allowed */
/* Discard all samples, because they turned out not to belong to the job. */
void dynamics_clear(struct dynamics *d);
/* Add a sample, after it was added to the tally. */
void dynamics_take(struct dynamics *d, const struct job_sample *t);
/* Return the change of each figure in the newest sample. */
const struct steps *dynamics_steps(const struct dynamics *d);
/*
 * Store the results in *ret, whose results must be zero before, and discard the samples. Call this
 * while the tally still has the samples of the job. alone: no other job was on the node.
 */
void dynamics_end(struct dynamics *d, struct tally *t, bool alone, struct course *ret);
