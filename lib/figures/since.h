/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * since.h - values of a node's figures from a given sample on, such as the first sample of each job
 */
#pragma once

#include "figures/tally.h"

/*
 * How complete a value is. SINCE_ABSENT: the node does not have the figure. SINCE_PART: the value
 * may be too small, because some samples lack a device.
 */
enum since_state { SINCE_ABSENT, SINCE_KNOWN, SINCE_PART, SINCE_UNKNOWN };

/*
 * State to compute values from a given sample, the begin sample, on. Zeroed memory is a valid
 * start; since_free() releases it.
 */
struct since {
	uint32_t begin;	/* number, from 1, of the begin sample in the tally; 0: none yet */
	struct since_figure {
		uint64_t base;		/* sum of the devices' counters at the begin sample */
		struct value gauge;	/* value of a gauge from the begin sample on */
		struct value_before before;
	} *figure;			/* one entry for each figure of the tally */
};

/* Make the newest sample of the tally the begin sample. */
void since_begin(struct since *s, struct tally *t);
/* Add the newest sample of the tally. edge: it is the first or the last sample of the job. */
void since_take(struct since *s, struct tally *t, bool edge);
/*
 * Compute a figure of the node, but not one of the job itself, from the begin sample to the newest
 * sample of the tally. *value is valid for SINCE_KNOWN and SINCE_PART only.
 */
enum since_state since_value(const struct since *s, struct tally *t, size_t figure, double *value);
void since_free(struct since *s);

/* Like since_value(), but for a figure of the job itself, from its own tally. */
enum since_state own_value(const struct tally *t, size_t figure, double *value);
