/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h - a figure of one node, or of a job on the node */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "figures/figures.h"
#include "schema/delta.h"

/*
 * A figure of one node, in the figure's own unit. All zero means that the node does not have the
 * figure.
 */
struct value {
	bool seen;
	double n;			/* amount; for a FIGURE_MEAN, the sum of .samples values */
	/* gauge integrated over time by the trapezoidal rule, and the seconds that it covers */
	double area, weight;
	/* bounds of .area: each interval with the smaller, or the larger, of its two samples */
	double low, high;
	/* estimated part of .n: see DELTA_OK in schema/delta.h */
	double inferred;
	double withheld;		/* amount that is not in .n, because counters fell */
	uint32_t steps[DELTA_HOWS];
	/* number of times that a counter fell; earlier counts may be missing */
	uint32_t resets;
	uint32_t to_0;			/* number of times that a counter fell to exactly 0 */
	uint32_t samples;
	int64_t at;			/* time of the peak or limit, microseconds */
	uint32_t late, gone;	/* numbers of devices that appeared or disappeared during the job */
	/* a device disappeared at most this many microseconds before the job's end */
	int64_t gone_usec;
	uint32_t reopened;	/* number of devices whose counters were restarted during the job */
	uint32_t saturated;	/* number of devices whose counter is stuck at its largest value */
	uint32_t resetting;		/* number of devices whose counter was reset too often */
	/* number of impossibly large values: see limits.h */
	uint32_t beyond;
	/* number of samples left out because a device's gauge was negative */
	uint32_t below_0;
	uint32_t lacking;		/* largest number of devices without the key in a sample */
	/* number of devices left out because other devices seem to count the same data */
	uint32_t doubles;
	/* number of runs in which the value is only a lower bound */
	uint32_t at_least;
	/* number of samples at the begin or end mark of the job */
	uint32_t edges;
	/*
	 * number of devices in .n; number left out, because their hardware counters were programmed
	 * for another event in some samples
	 */
	uint32_t devices, other_events;
};

/* The sum of a gauge over the devices at the previous sample. All zero: there was none. */
struct value_before {
	double sum;
	int64_t usec;
};

/*
 * A sample of a gauge. .edge: the sample was taken at the begin or end mark, before or after the
 * programs of the job ran. A mean uses such a sample only to close its first or last interval. A
 * peak ignores it, unless it is a value of the job itself and not 0. FIGURE_ADDED counts it.
 */
struct value_sample {
	double sum;	/* sum over the devices */
	int64_t usec;
	bool edge;
	bool own;	/* the gauge is of the job itself */
};
void value_take(struct value *v, struct value_before *before, enum figure_how how,
		const struct value_sample *s);

/* Add the value of another run, or of another time range, to `to`. */
void value_add(const struct figure *f, struct value *to, const struct value *from);

/* Return the value to show; for a FIGURE_MEAN, the mean. */
double value_of(const struct figure *f, const struct value *v);
/* Whether the figure was read on this node and its amount is known. */
bool value_known(const struct value *v);
/* Return true if the only samples of the gauge are at the begin and end marks of the job. */
bool value_only_at_edges(const struct value *v);
/* true if the figure was read, but its amount is unknown */
bool value_unknown(const struct value *v);
