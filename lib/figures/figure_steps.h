/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_steps.h - change of each figure of a node from one sample to the next */
#pragma once

#include "figures/tally.h"

struct limit;

/* Change of one figure. .n and .before are in the figure's unit. */
struct step {
	enum {
		STEP_NONE,	/* the figure was not read in this sample */
		STEP_BROKEN,	/* the figure was read, but its change is unknown */
		STEP_KNOWN,
	} is;
	int64_t from, to;	/* times of both readings in microseconds */
	double n;		/* counter: amount counted in the interval; gauge: value at .to */
	double before;		/* gauge: value at .from */
};

struct steps {
	struct figures table;
	struct step *step;	/* step of each figure in the newest sample */
	struct last {
		/* time of the last reading; 0: there is none to continue from */
		int64_t usec;
		double gauge;
		uint32_t devices;
	} *last;
	struct step_limit {
		const struct limit *of;	/* NULL: no limit is known */
		/* figure of the table that this figure cannot exceed, or table.n */
		size_t within;
	} *limit;			/* limit of each figure */
	size_t cpu;			/* first figure of type cpu, or table.n */
	/* time of the previous sample; 0: there is none to continue from */
	int64_t before;
};

void steps_init(struct steps *s, struct figures table);
void steps_free(struct steps *s);
void steps_break(struct steps *s);	/* forget earlier readings: no step crosses this moment */

/*
 * Take the newest sample. A step is known if every device with the figure was read at both ends and
 * its counter only counted, wrapped or decreased a little. A larger fall, a boot, or a device that
 * disappears or returns breaks the step. A new device counts from its first reading, or from 0 at
 * the previous sample if the figure starts at zero. Keys that only some samples contain (R=S) step
 * from one of these samples to the next.
 */
void steps_take(struct steps *s, const struct job_sample *t);
