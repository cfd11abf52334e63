/* SPDX-License-Identifier: BSD-3-Clause */
/* share.h - a job's share of a node's energy, where other jobs are on the node, too */
#pragma once

#include "figures/allocation.h"
#include "figures/figure_steps.h"
#include "figures/held.h"

/* The best one first. */
enum energy_from {
	ENERGY_COUNTER,	/* of the whole node, by its controller */
	ENERGY_BMC,	/* power of the whole node by its BMC, from sample to sample */
	ENERGY_ACPI,	/* the same by ACPI's power meter */
	ENERGY_PARTS,	/* processors, their memory and GPUs, as far as these are measured */
	ENERGY_NONE,
};

/*
 * Joules of one source. While the job is alone it has all. Else the energy is that of its GPUs, of
 * its memory and of the rest, and of each the part by which it was idle goes by what was given, the
 * other one by what was used. How much of it a node takes that is idle is not known: the bounds
 * have all of it go by what was used, and all by what was given.
 */
struct share {
	double of;		/* of the node that were divided */
	double joules, least, most;
	bool unknown;		/* CPU time, CPUs given or whose a GPU is */
};
void share_add(struct share *to, const struct share *more);

struct sharing;

struct sharing *sharing_new(struct str job);
void sharing_free(struct sharing *s);		/* NULL is fine */
void sharing_clear(struct sharing *s);		/* the samples were not the job's */
/* The tally and its steps have the sample already; given: as the job's marks had it until now. */
void sharing_take(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		  const struct allocation *given, const struct held *gpus, uint32_t cores);
void sharing_end(struct sharing *s, struct share ret[ENERGY_NONE]);	/* and clears */
