/* SPDX-License-Identifier: BSD-3-Clause */
/* share.h - a job's share of a node's energy if other jobs are on the node */
#pragma once

#include "figures/allocation.h"
#include "figures/figure_steps.h"
#include "figures/held.h"

/* Sources of energy, the best one first. */
enum energy_from {
	ENERGY_COUNTER,	/* counter of the whole node, in its controller */
	ENERGY_BMC,	/* power of the whole node, from its BMC, integrated over time */
	ENERGY_ACPI,	/* power of the whole node, from ACPI's power meter, integrated over time */
	ENERGY_PARTS,	/* sum of the measured processors, their memory and GPUs */
	ENERGY_NONE,
};

/*
 * A job's share of the joules of one source. While a job is alone on the node, it gets all of the
 * energy. Otherwise the energy is split into that of GPUs, of memory and of the rest. In each part,
 * the idle fraction is divided by allocation, and the busy fraction by use. The energy that an idle
 * node needs is unknown; so the bounds are the shares if everything is divided by use, or
 * everything by allocation.
 */
struct share {
	double of;		/* energy of the whole node */
	double joules, least, most;
	/*
	 * the share is unknown: the CPU time, the allocated CPUs, or the job that used a GPU is not
	 * known
	 */
	bool unknown;
};
void share_add(struct share *to, const struct share *more);

struct sharing;

struct sharing *sharing_new(struct str job);
void sharing_free(struct sharing *s);		/* accepts NULL */
/* discard all samples, because they turned out not to be the job's */
void sharing_clear(struct sharing *s);
/*
 * Add a sample that the tally and its steps already contain. `given` is the allocation that the
 * job's marks have described so far.
 */
void sharing_take(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		  const struct allocation *given, const struct held *gpus, uint32_t cores);
/* return the shares, then discard all samples */
void sharing_end(struct sharing *s, struct share ret[ENERGY_NONE]);
