/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h - a "tally": growth of counters and values of gauges on one node during a job */
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
 * Limit the number of devices, and do not search for devices with the same counters. This limits
 * the work if the sampler keeps the tally.
 */
void tally_limit(struct tally *t, size_t devices);

/*
 * Add a sample of the job. edge: the sample was taken at the begin or end mark of the job. The
 * record types of the sample must stay valid until tally_new_file().
 */
void tally_record(struct tally *t, const struct record *r, bool edge);
void tally_new_file(struct tally *t);
/*
 * Handle a boot of the node, after which the node's counters restart from 0. Call this before
 * tally_record() of the first record after the boot.
 */
void tally_boot(struct tally *t);
/*
 * Handle the marks of a record, some of which restart counters. Call this before tally_record() of
 * the record.
 */
void tally_marks(struct tally *t, const struct record *r);
/* Discard all samples, because they turned out not to belong to the job. */
void tally_clear(struct tally *t);

/*
 * Add the results so far to value[], which has one entry for each figure. The tally stays
 * unchanged.
 */
void tally_peek(const struct tally *t, struct value *value);
/*
 * Add the results to value[], and the programs to `procs`, as those of node `node`; then clear the
 * tally.
 */
void tally_fold(struct tally *t, struct value *value, struct procs *procs, size_t node);

/*
 * Return the number of rows left out because there were too many devices. tally_clear() does not
 * reset it.
 */
uint64_t tally_devices_left_out(const struct tally *t);
/* Whether some devices with this figure were left out because there were too many devices. */
bool tally_is_full(const struct tally *t, size_t figure);
uint32_t tally_samples(const struct tally *t);			/* Return the number of samples. */
/* Return the time of the newest sample, microseconds. */
int64_t tally_usec(const struct tally *t);
struct figures tally_figures(const struct tally *t);

/*
 * Access for callers that evaluate each sample. tally_devices() returns the devices with their
 * counters so far. tally_gauge() gets the sum of a gauge over the devices in the newest sample, and
 * returns false if the sum is unknown.
 */
struct devices *tally_devices(struct tally *t);
bool tally_gauge(const struct tally *t, size_t figure, double *sum, uint32_t *devices);

/* A sample of a job that was already added to the tally of the node. */
struct job_sample {
	const struct record *record;
	struct tally *tally;
	/* actions for the sample: a mask of JOB_OPEN and so on, see figures/job.h */
	unsigned what;
	bool begun;		/* the run has a begin mark */
	bool booted;		/* the node booted since the previous sample */
};
