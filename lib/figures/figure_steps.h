/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_steps.h - change of each figure of a node from one sample to the next */
#pragma once

#include "figures/tally.h"

struct limit;

/* Change of one figure between two samples ("step"). .n and .before are in the figure's unit. */
struct step {
	enum {
		STEP_NONE,	/* the figure was not read in this sample */
		STEP_BROKEN,	/* the figure was read, but its change is unknown */
		STEP_KNOWN,
	} is;
	int64_t from, to;	/* times of the two readings, microseconds */
	double n;		/* counter: amount counted in the interval; gauge: value at .to */
	double before;		/* gauge: value at .from */
};

struct steps {
	struct figures table;
	struct step *step;	/* change of each figure in the newest sample */
	struct last {
		/* time of the last reading; 0: there was none since steps_break() */
		int64_t usec;
		double gauge;
		uint32_t devices;
	} *last;
	struct step_limit {
		const struct limit *of;	/* NULL: no limit is known */
		/* index of a figure that is never smaller than this figure; table.n: none */
		size_t within;
	} *limit;			/* limit of each figure */
	size_t cpu;			/* index of the first figure of type cpu; table.n: none */
	int64_t before;	/* time of the previous sample; 0: there was none since steps_break() */
};

void steps_init(struct steps *s, struct figures table);
void steps_free(struct steps *s);
/* Forget all readings: the next sample has no changes. */
void steps_break(struct steps *s);

/*
 * Compute the change of each figure in the newest sample. The change is known if every device with
 * the figure was read in both samples, and its counter only increased, wrapped, or stayed above
 * half of its last reading. It is unknown after a larger fall or a boot, if a device disappeared or
 * returned, or if the change exceeds its limit (limits.h). A new device counts from its first
 * reading or, if the figure starts at zero, from 0 at the previous sample. Keys that only some
 * samples have (R=S in the schema) change from one of these samples to the next.
 */
void steps_take(struct steps *s, const struct job_sample *t);
