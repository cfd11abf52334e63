/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - decide which samples of a node belong to a job */
#pragma once

#include <stdbool.h>
#include "schema/record.h"

enum job_state {
	JOB_AWAY,	/* the job has not begun, or is over */
	JOB_HERE,
	/* the newest sample does not list the job, but its end mark may still come */
	JOB_LEFT,
};

/*
 * State of one job on one node, updated with each sample. To begin, set .job and leave the other
 * members zero.
 */
struct job_watch {
	struct str job;
	bool any;	/* every sample counts as the job's, whatever jobs it lists */
	enum job_state state;
	bool known;	/* some sample belonged to the job */
	bool begun;	/* the current run has a begin mark */
};

/* Actions that a sample requires, in the order in which to do them. */
enum {
	/* close the current run: it had a begin mark, but its end mark is lost */
	JOB_CLOSE_LOST = 1 << 0,
	/* discard the samples of the current run: they were taken before the begin mark */
	JOB_DROP       = 1 << 1,
	JOB_OPEN       = 1 << 2,	/* begin a run of the job with this sample */
	JOB_TAKE       = 1 << 3,	/* add the sample to the job */
	JOB_CLOSE      = 1 << 4,	/* close the run: this sample has the end mark */
	JOB_REOPEN     = 1 << 5,	/* the next run begins in this record: call job_reopen() */
};

/*
 * Update the state with a sample, and return the actions to do. A sample belongs to the job if it
 * lists the job, or has its begin or end mark; in a mark, attributes may follow the job's id. After
 * an end mark, the job runs again only if another begin mark comes.
 */
unsigned job_watch_record(struct job_watch *w, const struct record *r, bool booted);

/*
 * Begin the next run of the id in a record in which a begin mark follows the end mark of the last
 * run. Returns a copy of the record for the next run, which has only the marks from that begin mark
 * on.
 */
struct record job_reopen(struct job_watch *w, const struct record *r);

/*
 * Whether the job's end was marked only because a later job got the node alone. The true time of
 * the end is then unknown.
 */
bool job_ends_by_later(const struct record *r, struct str job);

/*
 * Find an attribute "KEY=VALUE" in the job's marks: begin, end, or a mark that the job's hook made
 * in between.
 */
bool job_attribute(const struct record *r, struct str job, struct str key, struct str *value);
/*
 * Copy the value of an attribute as text, without the escapes that marks use. Returns false if the
 * attribute is missing or empty.
 */
bool job_attribute_text(const struct record *r, struct str job, struct str key, char *to,
			size_t size);

/*
 * Whether another job was on the node at the same time. A job does not count if it ends in the
 * sample in which this job begins, or begins in the sample in which this job ends.
 */
bool job_shares(const struct job_watch *w, const struct record *r, unsigned what);

/* User of a job. All zero: no mark has given the user yet. */
struct job_owner {
	char user[64];
	bool by_uid;		/* .user is the user's number, because no mark had a name */
};

/*
 * Update the user from the marks of a record. A name replaces a number, and a newer name replaces
 * an older one, because a hook may add the name after the begin.
 */
void job_owner_take(struct job_owner *o, const struct record *r, struct str job);
