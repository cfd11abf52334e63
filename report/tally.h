/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h - what one node counted from the first sample of a job to its last */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "formats/raw_read.h"
#include "report/figures.h"
#include "report/procs.h"
#include "schema/delta.h"

/* One figure of one node, in the figure's own unit. All zero is "not there". */
struct value {
	bool seen;
	double n;			/* a MEAN's is the sum of .samples moments */
	double inferred;		/* the part of n that no two plain readings vouch for */
	uint32_t steps[DELTA_HOWS];
	uint32_t samples;
	int64_t at;			/* when the peak was, microseconds */
	uint32_t late, gone;		/* devices that came or went in mid-job, */
	int64_t gone_usec;		/* and how long before its end, at most */
	uint32_t reopened;		/* devices whose counters began again in mid-job */
	uint32_t saturated;		/* devices at the end of the scale */
};

struct tally;

/* All are borrowed. The rows of device count, a pattern as of fnmatch(3); NULL: all rows do. */
struct tally *tally_new(struct str job, struct figures table, const char *device);
void tally_free(struct tally *t);		/* NULL is fine */

/* A sample of the job. The plans made from its schemas last until tally_new_file(). */
void tally_group(struct tally *t, const struct raw_group *g);
void tally_new_file(struct tally *t);
void tally_boot(struct tally *t);		/* the node's own counters begin at 0 again */
void tally_marks(struct tally *t, const struct raw_group *g);	/* counters that began again */
void tally_clear(struct tally *t);		/* what was counted so far is not of the job */

/* Adds what was counted to a value per figure and the processes to procs, then clears. */
void tally_fold(struct tally *t, struct value *value, struct procs *procs, size_t node);

uint64_t tally_devices_left_out(const struct tally *t);

/* For who looks at each sample: the counters so far, and a gauge's sum in the newest sample. */
struct devices *tally_devices(struct tally *t);
bool tally_gauge(const struct tally *t, size_t figure, double *sum, uint32_t *devices);

/* A value as it is shown: the mean of a MEAN. */
double value_of(const struct figure *f, const struct value *v);
/* It was read on this node, and is not at the end of its scale. */
bool value_known(const struct value *v);
