/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h - a "tally": what one node counted, from the first sample of a job to its last */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "schema/record.h"
#include "figures/procs.h"
#include "figures/value.h"

struct tally;

/*
 * Make a tally. All arguments are borrowed. device is an fnmatch(3) pattern of the devices to
 * count; NULL: all.
 */
struct tally *tally_new(struct str job, struct figures table, const char *device);
void tally_free(struct tally *t);		/* NULL is allowed */
/*
 * Set the largest number of devices, and do not search for devices with the same counters. This
 * limits the work of the sampler.
 */
void tally_limit(struct tally *t, size_t devices);

/*
 * Add a sample of the job. edge: it was taken at the begin or end mark of the job. The record's
 * types must stay valid until tally_new_file().
 */
void tally_record(struct tally *t, const struct record *r, bool edge);
void tally_new_file(struct tally *t);
/* Handle a boot of the node: its own counters restart from 0. Call this before tally_record(). */
void tally_boot(struct tally *t);
/* Handle the marks of a record, some of which restart counters. Call this before tally_record(). */
void tally_marks(struct tally *t, const struct record *r);
/* Discard all samples, which turned out not to be the job's. */
void tally_clear(struct tally *t);

/* Add what was counted so far to value[], one entry for each figure. The tally stays unchanged. */
void tally_peek(const struct tally *t, struct value *value);
/* Add what was counted to value[], and the programs to `procs`; then clear the tally. */
void tally_fold(struct tally *t, struct value *value, struct procs *procs, size_t node);

/*
 * Return the number of rows left out, because there were too many devices; tally_clear() keeps it.
 */
uint64_t tally_devices_left_out(const struct tally *t);
/* Whether devices with this figure were left out, because there were too many. */
bool tally_is_full(const struct tally *t, size_t figure);
uint32_t tally_samples(const struct tally *t);			/* Return the number of samples. */
int64_t tally_usec(const struct tally *t);	/* Return the time of the newest sample. */
struct figures tally_figures(const struct tally *t);

/*
 * For callers that look at each sample. tally_devices() returns the devices with their counters so
 * far, tally_gauge() gets the sum of a gauge in the newest sample, and returns false if it is
 * unknown.
 */
struct devices *tally_devices(struct tally *t);
bool tally_gauge(const struct tally *t, size_t figure, double *sum, uint32_t *devices);

/* A sample of the job, which was already added to the node's tally. */
struct job_sample {
	const struct record *record;
	struct tally *tally;
	/* what to do with the sample: a mask such as JOB_OPEN, see figures/job.h */
	unsigned what;
	bool begun;		/* the run has a begin mark */
	bool booted;		/* the node booted since the previous sample */
};
