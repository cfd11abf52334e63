/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamics.h - how a job goes on a node: peaks of rates, which CPUs and GPUs work */
#pragma once

#include "figures/derived.h"
#include "figures/figure_steps.h"
#include "figures/held.h"
#include "figures/share.h"
#include "figures/tally.h"
#include "schema/node_clock.h"

/* Part of a node's CPU time that its kernel may need without any job. */
#define KERNEL_ITSELF .02

/* CPU time in user mode and in the kernel, of a whole: all but what the kernel needs itself. */
static inline double busy_time(double user, double system, double whole)
{
	double itself = KERNEL_ITSELF * whole;
	return user + (system > itself ? system - itself : 0);
}

/* The largest that it was from one sample to the next. */
struct peak {
	double rate;
	int64_t at;		/* the end of that time, microseconds; 0: not known */
};

struct course {
	struct peak peak[DERIVED_MAX];	/* of derived figures that are rates */
	uint32_t cores;		/* of the node, by its header; 0: not known */
	struct peaks peaks;	/* likewise */
	uint32_t cpus, cpus_busy;	/* of the node; busy for more than half of the time */
	uint32_t cpus_used;	/* for more than a twentieth of it */
	double widest;		/* the most CPUs that worked from one sample to the next */
	double busiest;			/* part of the time that the busiest CPU worked */
	uint32_t gpus, gpus_idle;	/* with a reading; never above 0 */
	struct share share[ENERGY_NONE];	/* of the energy of each source */
	struct held held;	/* GPUs of its mark, and for how long nobody was on them */
	struct gpus gpus_used;
	double fade;		/* the smallest ratio of CPU use after a sample to that before */
	int64_t fade_at;	/* of that sample, 0: there were too few */
	bool fade_own;		/* CPU use of the job itself, and not of the node */
	double grows;		/* memory in the second half, bytes a second; 0: not steadily */
	double grows_error;	/* the standard error of that */
	double grown_to;	/* bytes at its end, by that */
};

struct dynamics;

struct dynamics *dynamics_new(void);
void dynamics_free(struct dynamics *d);		/* NULL is fine */
void dynamics_clear(struct dynamics *d);	/* the samples were not the job's */
/* The tally has the sample already. */
void dynamics_take(struct dynamics *d, const struct job_sample *t);
const struct steps *dynamics_steps(const struct dynamics *d);	/* of the newest sample */
/* Of samples taken, then clear. The tally is still the job's. alone: no other job was there. */
void dynamics_end(struct dynamics *d, struct tally *t, bool alone, struct course *ret);
