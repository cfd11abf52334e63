/* SPDX-License-Identifier: BSD-3-Clause */
/* look.h - examine the newest records of a node */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define LOOK_JOBS_MAX 1024	/* limit of jobs per node; further jobs are ignored */

/* A job in the records of a node. */
struct look_job {
	char *id;
	/* the job was already listed in the first record, and did not begin again later */
	bool listed_first;
	bool owns;		/* the last record lists the job and does not end it */
	bool hooked;		/* a scheduler hook reported the begin of the job */
	/*
	 * no scheduler hook reported the end: the begin of a later job ended this job, or this
	 * job's control group was gone although a hook had reported its begin
	 */
	bool unhooked;
	int64_t ended_us;	/* time of the end mark, 0 if there is none */
};

/* State of a node's records. All zero is a valid empty state. */
struct look {
	/* times of the first and last record, 0 if there are none */
	int64_t first_us, last_us;
	/* values in the newest header; NULL if the header lacks the value */
	char *program, *topology;
	struct buf types;		/* names of types, each followed by a NUL */
	struct buf failing;	/* types that failed or stalled in the last record: "ib, llite" */
	uint64_t lost;			/* number of record groups that could not be written */
	struct look_job *job;
	size_t n_jobs, cap_jobs;
};

/* parses all records of the text, in any format; *l must be empty */
void look_take(struct look *l, struct str text);
void look_free(struct look *l);
