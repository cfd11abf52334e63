/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h - the files of one host, and what they say of a job */
#pragma once

#include "archive/input.h"
#include "figures/node.h"
#include "report/crowd.h"

struct read_listener {
	void (*defect)(void *arg, struct str text);	/* a sentence without a full stop */
	void *arg;
};

/* Runs that were found on a host; runs_free(&.runs) ends them. */
struct node_read {
	struct runs runs;
	size_t files, unreadable;
};

/*
 * The n files of one host, in order of time, and nothing else: hosts can be read in any order, or
 * by several processes. elsewhere: what is known of the job from other hosts, NULL if nothing is;
 * then files that are far from it are passed over.
 */
void node_read(const struct node_query *q, const struct runs *elsewhere,
	       const struct archive_file *file, size_t n, const struct read_listener *listener,
	       struct node_read *ret);

/* Records of the file name the job so many times; UINT64_MAX: it is not known how many. */
struct read_pair {
	size_t file, job;
	uint64_t samples;
};

/* Jobs that are looked for at once; each is in some pair, and the pairs are in order of files. */
struct read_jobs {
	const struct crowd_job *job;	/* .ask is of them all but for .job, .since and .until */
	size_t n;
	const struct read_pair *pair;
	size_t n_pairs;
	void (*found)(void *arg, size_t job, struct runs *runs);	/* once for each job */
	void *arg;
};

/*
 * The files of one host, each read once for all its jobs. A job is held in memory from the first
 * record that names it to the last one; where more than 1,024 are, files are read once more for
 * the others. Nothing is said of what is wrong with the files.
 */
void node_read_jobs(const struct read_jobs *many, const struct archive_file *file);
