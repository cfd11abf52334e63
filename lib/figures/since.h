/* SPDX-License-Identifier: BSD-3-Clause */
/* since.h - compute what a node counted from a given sample on, for several jobs at once */
#pragma once

#include "figures/tally.h"

/*
 * How complete a value is. SINCE_ABSENT: the node does not have the figure. SINCE_PART: the value
 * may be too small, because a device was not read in all samples.
 */
enum since_state { SINCE_ABSENT, SINCE_KNOWN, SINCE_PART, SINCE_UNKNOWN };

/* Values from a given sample on. Zeroed memory is a valid start; since_free() releases it. */
struct since {
	uint32_t begin;	/* number of the first sample in the tally, from 1; 0: none */
	struct since_figure {
		uint64_t base;		/* sum of the counters at the first sample */
		struct value gauge;	/* value of a gauge from the first sample on */
		struct value_before before;
	} *figure;			/* one entry for each figure of the tally */
};

/* Start to count at the newest sample of the tally. */
void since_begin(struct since *s, struct tally *t);
/* Add the newest sample of the tally. edge: it is the first or the last sample of the job. */
void since_take(struct since *s, struct tally *t, bool edge);
/*
 * Compute a figure of the node, not of the job itself, from the first to the newest sample. *value
 * is valid for SINCE_KNOWN and SINCE_PART only.
 */
enum since_state since_value(const struct since *s, struct tally *t, size_t figure, double *value);
void since_free(struct since *s);

/* Compute a figure of the job itself from its tally. */
enum since_state own_value(const struct tally *t, size_t figure, double *value);
