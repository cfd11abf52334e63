/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_steps.h - what each figure of a node did from one of its samples to the next */
#pragma once

#include "figures/tally.h"

/* .n and .before are in the figure's own unit. */
struct step {
	enum {
		STEP_NONE,	/* the figure was not read in this sample */
		STEP_BROKEN,	/* read, but nothing is known of the time before */
		STEP_KNOWN,
	} is;
	int64_t from, to;	/* microseconds: readings at both */
	double n;		/* a counter: counted meanwhile; a gauge: its value at .to */
	double before;		/* a gauge: its value at .from */
};

struct steps {
	struct figures table;
	struct step *step;	/* of each figure, in the newest sample */
	struct last {
		int64_t usec;		/* when the figure was read, 0: nothing to go on from */
		double gauge;
		uint32_t devices;
	} *last;
	double *most;			/* per figure: what a device can do in a second, or 0 */
	int64_t before;			/* the sample before, 0: none to go on from */
};

void steps_init(struct steps *s, struct figures table);
void steps_free(struct steps *s);
void steps_break(struct steps *s);	/* nothing goes on across this moment */

/*
 * Takes the newest sample. A step is known if every device that has the figure was read at both
 * ends and its counter did nothing but count or wrap: a dip, a reset, a boot, a device that went or
 * came back break it. A device that is new counts from its first reading, or from 0 at the sample
 * before if its figure does. Keys that only some samples have (R=S) step from one of these to the
 * next.
 */
void steps_take(struct steps *s, const struct job_sample *t);
