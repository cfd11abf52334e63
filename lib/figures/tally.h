/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h - counts of one node from the first sample of a job to its last */
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
void tally_free(struct tally *t);		/* accepts NULL */
/*
 * Set the largest number of devices, and keep devices apart that have the same counters. For the
 * process that takes the samples.
 */
void tally_limit(struct tally *t, size_t devices);

/*
 * Add a sample of the job. edge: the sample is at an edge of the job, see value_take(). Plans made
 * from the record's schemas last until tally_new_file().
 */
void tally_record(struct tally *t, const struct record *r, bool edge);
void tally_new_file(struct tally *t);
void tally_boot(struct tally *t);		/* restart the node's own counters from 0 */
/* restart counters that marks name */
void tally_marks(struct tally *t, const struct record *r);
void tally_clear(struct tally *t);		/* discard the samples: they were not the job's */

/* Add the counts to one value for each figure. The tally stays unchanged. */
void tally_peek(const struct tally *t, struct value *value);
/* Add the counts to value, and the processes to procs, then clear the tally. */
void tally_fold(struct tally *t, struct value *value, struct procs *procs, size_t node);

uint64_t tally_devices_left_out(const struct tally *t);
/* some devices of this figure were left out */
bool tally_is_full(const struct tally *t, size_t figure);
uint32_t tally_samples(const struct tally *t);			/* number of samples */
int64_t tally_usec(const struct tally *t);			/* time of the newest sample */
struct figures tally_figures(const struct tally *t);

/*
 * Return the devices with their counters so far, and the sum of a gauge in the newest sample. For
 * callers that look at each sample.
 */
struct devices *tally_devices(struct tally *t);
bool tally_gauge(const struct tally *t, size_t figure, double *sum, uint32_t *devices);

/* A sample of the job that the node's tally already contains. */
struct job_sample {
	const struct record *record;
	struct tally *tally;
	unsigned what;		/* actions such as JOB_OPEN, see figures/job.h */
	bool begun;		/* the run has a begin mark */
	bool booted;		/* the node booted since the sample before */
};
