/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - decide which samples of a node belong to a job */
#pragma once

#include <stdbool.h>
#include "schema/record.h"

enum job_state {
	JOB_AWAY,	/* the job has not begun, or is over */
	JOB_HERE,
	/* the newest sample does not list the job, but the job's end mark may still follow */
	JOB_LEFT,
};

/*
 * State of one job on one node, updated with each sample. To begin, set .job or .any, and leave the
 * other members zero.
 */
struct job_watch {
	struct str job;
	bool any;	/* every sample belongs to the job, whatever jobs it lists */
	enum job_state state;
	bool known;	/* some sample belonged to the job */
	bool begun;	/* the current run has a begin mark */
};

/* Mask of actions for a sample. Do them in this order. */
enum {
	/* close the current run: its end mark was lost */
	JOB_CLOSE_LOST = 1 << 0,
	/* discard the samples of the current run, because they precede the begin mark */
	JOB_DROP       = 1 << 1,
	JOB_OPEN       = 1 << 2,	/* begin a run of the job with this sample */
	JOB_TAKE       = 1 << 3,	/* add the sample to the job */
	JOB_CLOSE      = 1 << 4,	/* close the run: this sample has the end mark */
	/* this sample also begins the next run: call job_reopen() */
	JOB_REOPEN     = 1 << 5,
};

/*
 * Update the state with a sample, and return the actions to do. A sample belongs to the job if it
 * lists the job, or has the job's begin or end mark. After an end mark, only a begin mark starts
 * another run of the job. booted: the node was booted since the previous sample.
 */
unsigned job_watch_record(struct job_watch *w, const struct record *r, bool booted);

/*
 * Begin the next run, after a record that ends one run of the job and begins the next. Returns a
 * copy of the record with only the marks of the next run.
 */
struct record job_reopen(struct job_watch *w, const struct record *r);

/*
 * Whether the job's end was marked only because a later job got the whole node. The true time of
 * the job's end is then unknown.
 */
bool job_ends_by_later(const struct record *r, struct str job);

/*
 * Find an attribute "KEY=VALUE" in the job's marks, except marks of its next run. *value points
 * into the record, and may contain escapes.
 */
bool job_attribute(const struct record *r, struct str job, struct str key, struct str *value);
/* Copy the value of an attribute, without escapes. Returns false if it is missing or empty. */
bool job_attribute_text(const struct record *r, struct str job, struct str key, char *to,
			size_t size);

/*
 * Whether another job was on the node at a sample of this job. A job that ends in the sample in
 * which this job begins does not count, nor does a job that begins in the sample in which this job
 * ends. what: the actions for the sample.
 */
bool job_shares(const struct job_watch *w, const struct record *r, unsigned what);

/* User of a job. All zero: no mark with the user was found yet. */
struct job_owner {
	char user[64];
	bool by_uid;		/* .user is the user's number, because no mark had a name */
};

/*
 * Update the user from the job's marks in a record. A name replaces a number or an older name,
 * because a hook may add the name later.
 */
void job_owner_take(struct job_owner *o, const struct record *r, struct str job);
