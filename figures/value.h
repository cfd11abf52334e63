/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h - one figure of one node, or of a job on it */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "figures/figures.h"
#include "schema/delta.h"

/* A figure of one node, in the figure's own unit. All zero is "not there". */
struct value {
	bool seen;
	double n;			/* a MEAN's is the sum of .samples moments, */
	double area, weight;		/* integral of n by trapezoid, and over how many seconds */
	double low, high;		/* the same by the lower and the higher end of each step */
	double inferred;		/* the part of n that no two plain readings vouch for */
	uint32_t steps[DELTA_HOWS];
	uint32_t to_0;			/* resets after which it stood at 0 */
	uint32_t samples;
	int64_t at;			/* when the peak was, microseconds */
	uint32_t late, gone;		/* devices that came or went in mid-job, */
	int64_t gone_usec;		/* and how long before its end, at most */
	uint32_t reopened;		/* devices whose counters began again in mid-job */
	uint32_t saturated;		/* devices at the end of the scale */
	uint32_t resetting;		/* devices that something sets back all the time */
	uint32_t beyond;		/* times more than a device or the node can do: limits.h */
	uint32_t doubles;		/* devices left out, inferred to count what others do */
	uint32_t at_least;		/* runs of which some may be missing: see struct job_rows */
	uint32_t edges;			/* samples at an edge of the job: see value_take() */
	uint32_t devices, other_events;	/* whose counters are in .n, and are not: tally.c */
	uint32_t went_back;		/* times that a counter did, by a dip or for good */
};

/* The sum of a gauge over the devices, at the sample before. All zero: there was none. */
struct value_before {
	double sum;
	int64_t usec;
};

/*
 * A sample of a gauge. At an edge, that is at the begin or end mark of the job, it says nothing of
 * the job yet, or no more: a mean has it as the end of its first or last interval only, a peak does
 * not have it.
 */
struct value_sample {
	double sum;	/* over the devices */
	int64_t usec;
	bool edge;
};
void value_take(struct value *v, struct value_before *before, enum figure_how how,
		const struct value_sample *s);

/* Adds what was counted at another time. */
void value_add(const struct figure *f, struct value *to, const struct value *from);

/* A value as it is shown: the mean of a MEAN. */
double value_of(const struct figure *f, const struct value *v);
bool value_known(const struct value *v);	/* read on this node */
bool value_only_at_edges(const struct value *v);
bool value_unknown(const struct value *v);	/* read, and yet nobody knows how much it counted */
