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

/* Part of a node's CPU time that the kernel may use even without a job. */
#define KERNEL_ITSELF .02

/*
 * CPUs. A job that used less in its control group may work outside of the group, for example by
 * ssh.
 */
#define OWN_LEAST .01

/*
 * Compute the busy CPU time: user time, plus system time beyond the small part of all time that an
 * idle kernel needs.
 */
static inline double busy_time(double user, double system, double whole)
{
	double itself = KERNEL_ITSELF * whole;
	return user + (system > itself ? system - itself : 0);
}

/* The largest rate between two consecutive samples. */
struct peak {
	double rate;
	/* end of the interval with this rate, in microseconds; 0: not known */
	int64_t at;
};

struct course {
	struct peak peak[DERIVED_MAX];	/* peaks of derived figures that are rates */
	uint32_t cores;		/* cores of the node, from the file's header; 0: not known */
	/* peak performance of the node, from the file's header; 0: not known */
	struct peaks peaks;
	/* CPUs of the node; CPUs that were busy for more than half of the time */
	uint32_t cpus, cpus_busy;
	uint32_t cpus_used;	/* CPUs that were busy for more than a twentieth of the time */
	double widest;		/* most CPUs at work between two samples */
	double busiest;			/* part of the time that the busiest CPU worked */
	/*
	 * Means over the intervals between samples; 0: unknown. .top is the part of the time that
	 * the busiest CPU of an interval worked, .rest the same for the other CPUs that worked at
	 * all.
	 */
	double top, rest;
	double one_cpu;		/* part of the time in which the work equalled that of one CPU */
	int64_t one_from, one_to;	/* longest interval with the work of one CPU */
	uint32_t gpus, gpus_idle;	/* GPUs with a reading; GPUs whose readings were all 0 */
	struct share share[ENERGY_NONE];	/* share of the energy of each source */
	struct held held;	/* GPUs listed in the job's mark, and how long each was idle */
	struct gpus gpus_used;
	double fade;		/* smallest ratio of CPU use after a sample to CPU use before it */
	int64_t fade_at;	/* time of the sample for .fade; 0: there were too few samples */
	bool fade_own;		/* .fade is of the job's own CPU use, not of the node's */
	/* growth of memory in the second half, bytes per second; 0: not steady */
	double grows;
	double grows_error;	/* standard error of .grows */
	double grown_to;	/* bytes at the end of the job, by the fitted growth */
	struct demand demand;	/* CPUs that the job's own tasks wanted */
	struct bound bound;	/* processes bound to fewer CPUs than the node has */
};

struct dynamics;

struct dynamics *dynamics_new(void);
void dynamics_free(struct dynamics *d);		/* accepts NULL */
void dynamics_clear(struct dynamics *d);	/* discard the samples: they were not the job's */
/* Add a sample that the tally already contains. */
void dynamics_take(struct dynamics *d, const struct job_sample *t);
const struct steps *dynamics_steps(const struct dynamics *d);	/* steps of the newest sample */
/*
 * Evaluate the samples into ret, then clear them. The tally must still hold the job's samples.
 * alone: no other job was on the node.
 */
void dynamics_end(struct dynamics *d, struct tally *t, bool alone, struct course *ret);
