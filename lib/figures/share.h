/* SPDX-License-Identifier: BSD-3-Clause */
/* share.h - a job's share of a node's energy, if other jobs are on the node, too */
#pragma once

#include "figures/allocation.h"
#include "figures/figure_steps.h"
#include "figures/held.h"

/* Sources of the node's energy readings, the best first. */
enum energy_from {
	ENERGY_COUNTER,	/* energy counter of the whole node, in its controller */
	ENERGY_BMC,	/* power of the whole node, from its BMC, integrated over time */
	ENERGY_ACPI,	/* power of the whole node, from ACPI's power meter, integrated over time */
	ENERGY_PARTS,	/* sum of the energy of processors, memory and GPUs, as far as measured */
	ENERGY_NONE,
};

/*
 * The job's share of a node's energy in joules, by one source of readings. While the job is alone
 * on the node, all of the energy is its share. Otherwise the energy is split into that of GPUs,
 * that of memory and the rest. The energy of a GPU belongs to the only job that has the GPU, or is
 * divided by use. Memory and the rest: the energy of the unused fraction is divided by allocation,
 * that of the used fraction by use. .least and .most are the smaller and the larger of two shares:
 * if all energy is divided by use, and if all is divided by allocation. They are bounds, since the
 * energy that an idle node needs is unknown.
 */
struct share {
	double of;		/* energy of the whole node */
	double joules, least, most;
	/*
	 * the share is unknown, because a CPU time, an allocation, or the job that had a GPU is
	 * unknown
	 */
	bool unknown;
};
void share_add(struct share *to, const struct share *more);

struct sharing;

struct sharing *sharing_new(struct str job);
void sharing_free(struct sharing *s);		/* NULL is allowed */
/* Discard all samples, because they turned out not to belong to the job. */
void sharing_clear(struct sharing *s);
/*
 * Add a sample, after it was added to the tally and to `steps`. given, gpus: the job's allocation,
 * as far as known from marks so far. cores: number of cores of the node; 0: unknown.
 */
void sharing_take(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		  const struct allocation *given, const struct held *gpus, uint32_t cores);
/* Set ret to the shares, and discard all samples. */
void sharing_end(struct sharing *s, struct share ret[ENERGY_NONE]);
