/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h - what one node counted from the first sample of a job to its last */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "schema/record.h"
#include "figures/procs.h"
#include "figures/value.h"

struct tally;

/* All are borrowed. The rows of device count, a pattern as of fnmatch(3); NULL: all rows do. */
struct tally *tally_new(struct str job, struct figures table, const char *device);
void tally_free(struct tally *t);		/* NULL is fine */
/*
 * For who takes the samples: no more devices than that, and those that have the same counters are
 * not taken for one.
 */
void tally_limit(struct tally *t, size_t devices);

/*
 * A sample of the job, at an edge of it or not: see value_take(). The plans made from its schemas
 * last until tally_new_file().
 */
void tally_record(struct tally *t, const struct record *r, bool edge);
void tally_new_file(struct tally *t);
void tally_boot(struct tally *t);		/* the node's own counters begin at 0 again */
void tally_marks(struct tally *t, const struct record *r);	/* counters that began again */
void tally_clear(struct tally *t);		/* the samples were not the job's */

/* Adds what was counted to a value per figure; nothing is changed by that. */
void tally_peek(const struct tally *t, struct value *value);
/* Likewise, and the processes to procs, then clears. */
void tally_fold(struct tally *t, struct value *value, struct procs *procs, size_t node);

uint64_t tally_devices_left_out(const struct tally *t);
bool tally_is_full(const struct tally *t, size_t figure);	/* some were of this figure */
uint32_t tally_samples(const struct tally *t);			/* how many there were */
int64_t tally_usec(const struct tally *t);			/* of the newest */
struct figures tally_figures(const struct tally *t);

/* For who looks at each sample: the counters so far, and a gauge's sum in the newest sample. */
struct devices *tally_devices(struct tally *t);
bool tally_gauge(const struct tally *t, size_t figure, double *sum, uint32_t *devices);

/* A sample that is the job's, in the node's tally already. */
struct job_sample {
	const struct record *record;
	struct tally *tally;
	unsigned what;		/* JOB_OPEN and so on, figures/job.h */
	bool begun;		/* the run has a begin mark */
	bool booted;		/* since the sample before */
};
