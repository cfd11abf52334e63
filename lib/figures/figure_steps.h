/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_steps.h - change of each figure of a node from one sample to the next ("step") */
#pragma once

#include "figures/tally.h"

struct limit;

/* Change of one figure between two samples. .n and .before are in the unit of the figure. */
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
		/* time of the last reading, microseconds; 0: none since steps_break() */
		int64_t usec;
		double gauge;
		uint32_t devices;
	} *last;
	struct step_limit {
		const struct limit *of;	/* NULL: no limit is known */
		/* index of another figure, which this gauge cannot exceed; table.n: none */
		size_t within;
	} *limit;			/* limit of each figure */
	size_t cpu;			/* index of the first figure of type cpu; table.n: none */
	int64_t before;	/* time of the previous sample, microseconds; 0: none since steps_break() */
};

void steps_init(struct steps *s, struct figures table);
void steps_free(struct steps *s);
/* Forget all readings, so that the changes in the next sample are unknown. */
void steps_break(struct steps *s);

/*
 * Compute the change of each figure from the previous sample to the newest. A change is known if
 * each device with the figure was read in both samples, and its counter only increased, wrapped, or
 * stayed above half of its last reading. A change is unknown if a counter fell further, the node
 * was booted, a device disappeared or returned, or the change exceeds its limit (limits.h). A new
 * device counts from its first reading or, if .starts_at_zero, from 0 at the previous sample. The
 * change of a slow key (R=S in the schema) covers the time since the last sample that had the key.
 */
void steps_take(struct steps *s, const struct job_sample *t);
