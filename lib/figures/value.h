/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h - a figure of one node, or of a job on the node */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "figures/figures.h"
#include "schema/delta.h"

/* A figure of one node, in the figure's own unit. All zero means "not there". */
struct value {
	bool seen;
	double n;			/* amount; for a MEAN, the sum of .samples moments */
	/* integral of n by trapezoids, and the seconds that it covers */
	double area, weight;
	/* the same integral with the lower and the higher end of each step */
	double low, high;
	double inferred;		/* amount in n that no two plain readings confirm */
	double withheld;		/* amount that is not in n, because counters fell */
	uint32_t steps[DELTA_HOWS];
	/* falls of a counter; the counts before a fall are missing */
	uint32_t resets;
	uint32_t to_0;			/* resets after which the counter stood at 0 */
	uint32_t samples;
	int64_t at;			/* time of the peak, microseconds */
	uint32_t late, gone;		/* devices that appeared or disappeared during the job */
	/* longest time before the end that a device may have been gone */
	int64_t gone_usec;
	uint32_t reopened;		/* devices whose counters restarted during the job */
	uint32_t saturated;		/* devices at the end of the scale */
	uint32_t resetting;		/* devices whose counter went back too often */
	/* values larger than a device or a node can have: limits.h */
	uint32_t beyond;
	uint32_t below_0;		/* samples left out: a device's gauge was below 0 */
	uint32_t lacking;		/* devices without the key, in one sample */
	uint32_t doubles;		/* devices left out: others seem to count the same */
	/* runs for which counts may be missing: see struct job_rows */
	uint32_t at_least;
	uint32_t edges;			/* samples at an edge of the job: see value_take() */
	/* devices in .n; devices whose counters had other events: tally.c */
	uint32_t devices, other_events;
};

/* The sum of a gauge over the devices at the sample before. All zero: there was none. */
struct value_before {
	double sum;
	int64_t usec;
};

/*
 * A sample of a gauge. A sample at an edge, taken at the begin or end mark of the job, shows the
 * node before or after the job. A mean uses it only as the end of its first or last interval, and a
 * peak ignores it. If the gauge is of the job itself, a peak only ignores 0 at an edge: the
 * programs have not begun, or are gone.
 */
struct value_sample {
	double sum;	/* sum over the devices */
	int64_t usec;
	bool edge;
	bool own;	/* of the job itself */
};
void value_take(struct value *v, struct value_before *before, enum figure_how how,
		const struct value_sample *s);

/* Add the counts of another time. */
void value_add(const struct figure *f, struct value *to, const struct value *from);

/* Compute the value to show: the mean of a MEAN. */
double value_of(const struct figure *f, const struct value *v);
/* the figure was read on this node, and its amount is known */
bool value_known(const struct value *v);
bool value_only_at_edges(const struct value *v);
bool value_unknown(const struct value *v);	/* the figure was read, but its amount is unknown */
