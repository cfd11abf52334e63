/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h - the value of a figure on one node */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "figures/figures.h"
#include "schema/delta.h"

/*
 * The value of a figure on one node, in the unit of the figure. All zero: the node does not have
 * the figure.
 */
struct value {
	bool seen;
	double n;	/* growth, peak or limit; for a FIGURE_MEAN, the sum of .samples values */
	/* integral of a gauge over time (trapezoidal rule), and the seconds that it covers */
	double area, weight;
	/* bounds of .area: each interval with the smaller, or the larger, of its two samples */
	double low, high;
	/* estimated part of .n: see DELTA_OK in schema/delta.h */
	double inferred;
	double withheld;	/* amount that may be missing from .n, because counters fell */
	uint32_t steps[DELTA_HOWS];
	/* number of resets of counters; counts before a reset may be missing */
	uint32_t resets;
	uint32_t to_0;			/* number of resets of counters to exactly 0 */
	uint32_t samples;
	int64_t at;			/* time of the peak or limit, microseconds */
	uint32_t late, gone;	/* numbers of devices that appeared or disappeared during the job */
	/* largest time, in microseconds, from the disappearance of a device to the job's end */
	int64_t gone_usec;
	uint32_t reopened;	/* number of devices whose counters were restarted during the job */
	uint32_t saturated;	/* number of devices whose counter is stuck at its largest value */
	uint32_t resetting;		/* number of devices whose counter was reset too often */
	/* number of impossibly large values: see limits.h */
	uint32_t beyond;
	/* number of samples left out because a device's gauge was negative */
	uint32_t below_0;
	uint32_t lacking;	/* largest number of devices in a sample that lack the key */
	/* number of devices left out because other devices seem to count the same data */
	uint32_t doubles;
	/* number of runs in which the value is only a lower bound */
	uint32_t at_least;
	/* number of samples of a gauge that were taken at the begin or end mark of the job */
	uint32_t edges;
	/*
	 * numbers of devices: in .n, and left out because their hardware counters were programmed
	 * for another event in some samples
	 */
	uint32_t devices, other_events;
};

/* Sum of a gauge over the devices at the previous sample. All zero: no previous sample. */
struct value_before {
	double sum;
	int64_t usec;
};

/*
 * A sample of a gauge. .edge: the sample was taken at the begin or end mark, before or after the
 * programs of the job ran. A FIGURE_MEAN uses such a sample only as the end of its first or last
 * interval. A FIGURE_PEAK ignores the sample, unless .own is true and its sum is not 0. A
 * FIGURE_ADDED uses it like any other.
 */
struct value_sample {
	double sum;	/* sum over the devices */
	int64_t usec;
	bool edge;
	bool own;	/* the gauge is of the job itself */
};
void value_take(struct value *v, struct value_before *before, enum figure_how how,
		const struct value_sample *s);

/* Add the value `from` of another run, or of another time range, to `to`. */
void value_add(const struct figure *f, struct value *to, const struct value *from);

/* Return the value to show; for a FIGURE_MEAN, the mean. */
double value_of(const struct figure *f, const struct value *v);
/* Whether the figure was read on the node, and its value is known. */
bool value_known(const struct value *v);
/* Return true if all samples of the gauge were taken at the begin and end marks of the job. */
bool value_only_at_edges(const struct value *v);
/* Whether the figure was read on the node, but its value is unknown. */
bool value_unknown(const struct value *v);
