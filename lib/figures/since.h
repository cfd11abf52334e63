/* SPDX-License-Identifier: BSD-3-Clause */
/* since.h - what a node did since one of the samples of its tally: of several jobs at once */
#pragma once

#include "figures/tally.h"

/* ABSENT: this node has no such thing. */
enum since_state { SINCE_ABSENT, SINCE_KNOWN, SINCE_PART, SINCE_UNKNOWN };

/* All zero has not begun; since_free() ends it. */
struct since {
	uint32_t begin;			/* the sample of the tally, from 1 on; 0: none */
	struct since_figure {
		uint64_t base;		/* the sum of the counters then */
		struct value gauge;	/* of the samples from then on */
		struct value_before before;
	} *figure;			/* of each figure of the tally */
};

/* The newest sample of the tally is the first. */
void since_begin(struct since *s, struct tally *t);
/* The newest sample is one of it; the first and the last are at its edges. */
void since_take(struct since *s, struct tally *t, bool edge);
/* A figure until the newest sample, of the node and not of a job itself. */
enum since_state since_value(const struct since *s, struct tally *t, size_t figure, double *value);
void since_free(struct since *s);

/* A figure of the tally of a job itself. */
enum since_state own_value(const struct tally *t, size_t figure, double *value);
