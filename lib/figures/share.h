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
	ENERGY_PARTS,	/* sum of processors, memory and GPUs, as far as measured */
	ENERGY_NONE,
};

/*
 * The job's share of a node's energy in joules, from one source. While the job is alone on the
 * node, it gets all of the energy. Otherwise the energy is split into that of GPUs, of memory and
 * of the rest. The energy of a GPU belongs to the only job that has it, or is divided by use. The
 * idle part of memory and of the rest is divided by allocation, and the busy part by use. .least
 * and .most are bounds, since the energy that an idle node needs is unknown: the shares if all
 * energy is divided by use, or all by allocation.
 */
struct share {
	double of;		/* energy of the whole node */
	double joules, least, most;
	/*
	 * the share is unknown, because a CPU time, an allocation, or the job on a GPU is unknown
	 */
	bool unknown;
};
void share_add(struct share *to, const struct share *more);

struct sharing;

struct sharing *sharing_new(struct str job);
void sharing_free(struct sharing *s);		/* NULL is allowed */
/* Discard all samples, which turned out not to be the job's. */
void sharing_clear(struct sharing *s);
/*
 * Add a sample, which the tally and `steps` must already contain. given: the job's allocation, as
 * far as marks have described it.
 */
void sharing_take(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		  const struct allocation *given, const struct held *gpus, uint32_t cores);
/* Set ret to the shares, and discard all samples. */
void sharing_end(struct sharing *s, struct share ret[ENERGY_NONE]);
