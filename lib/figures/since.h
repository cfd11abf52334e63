/* SPDX-License-Identifier: BSD-3-Clause */
/* since.h - values of a node since a given sample of its tally, for several jobs at once */
#pragma once

#include "figures/tally.h"

/* How complete a value is. ABSENT: the node has no such figure. */
enum since_state { SINCE_ABSENT, SINCE_KNOWN, SINCE_PART, SINCE_UNKNOWN };

/* All zero is a valid new state; since_free() releases it. */
struct since {
	uint32_t begin;			/* first sample, by the tally's count from 1; 0: none */
	struct since_figure {
		uint64_t base;		/* sum of the counters at the first sample */
		struct value gauge;	/* value of a gauge from the first sample on */
		struct value_before before;
	} *figure;			/* entry for each figure of the tally */
};

/* Begin with the newest sample of the tally. */
void since_begin(struct since *s, struct tally *t);
/* Add the newest sample of the tally. edge: it is the first or the last sample of the job. */
void since_take(struct since *s, struct tally *t, bool edge);
/* Compute a figure of the node, not of the job itself, up to the newest sample. */
enum since_state since_value(const struct since *s, struct tally *t, size_t figure, double *value);
void since_free(struct since *s);

/* Compute a figure of the job itself from its tally. */
enum since_state own_value(const struct tally *t, size_t figure, double *value);
