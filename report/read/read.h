/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h - find runs of jobs in the files of one host */
#pragma once

#include "archive/input.h"
#include "figures/node.h"
#include "report/read/node_batch.h"

struct read_listener {
	/* receives a description of a defect: a sentence without a full stop */
	void (*defect)(void *arg, struct str text);
	void *arg;
};

/* Runs found on a host; call runs_free(&.runs) to free them. */
struct node_read {
	struct runs runs;
	size_t files, unreadable;
};

/*
 * Read the n files of one host, in time order; n is at least 1. Different hosts may be read in any
 * order and by several processes. "elsewhere" has the job's runs on other hosts, or is NULL. If
 * "elsewhere" has runs, files more than a week before or after all known runs are skipped.
 */
void node_read(const struct node_query *q, const struct runs *elsewhere,
	       const struct archive_file *file, size_t n, const struct read_listener *listener,
	       struct node_read *ret);

/*
 * A job, and a file with records of the job, as indexes. .samples is the number of these records,
 * UINT64_MAX if unknown.
 */
struct read_pair {
	size_t file, job;
	uint64_t samples;
};

/*
 * Jobs to search for together. There is a struct read_pair for each job and each file with records
 * of the job, and at least one for each job. The pairs are sorted by file.
 */
struct read_jobs {
	/* a query for each job; they differ only in .job, .since and .until */
	const struct node_batch_job *job;
	size_t n;
	const struct read_pair *pair;
	size_t n_pairs;
	size_t n_files;		/* number of files in the list that the pairs refer to */
	/* called once for each job, with the runs that were found; the caller frees the runs */
	void (*found)(void *arg, size_t job, struct runs *runs);
	void *arg;
};

/*
 * Read each file of a host once for all jobs. A job is kept in memory from the first record that
 * lists it to the last. If more than 1,024 jobs overlap in time, read the files again for the
 * remaining jobs. Errors in the files are not reported.
 */
void node_read_jobs(const struct read_jobs *many, const struct archive_file *file);
