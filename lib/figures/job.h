/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - decide which samples of a node belong to a job */
#pragma once

#include <stdbool.h>
#include "schema/record.h"

enum job_state {
	JOB_AWAY,	/* the job has not begun, or is over */
	JOB_HERE,
	JOB_LEFT,	/* samples no longer name the job, but its end mark may still come */
};

/*
 * State of one job on one node, updated with each sample. All zero but .job is a valid new watch.
 */
struct job_watch {
	struct str job;
	bool any;	/* every sample belongs to the job, whichever job owns the node */
	enum job_state state;
	bool known;	/* the job was seen */
	bool begun;	/* the run has a begin mark */
};

/* Actions that a sample requires, in the order in which to do them. */
enum {
	/* close the run so far: it had a begin mark, and its end mark is lost */
	JOB_CLOSE_LOST = 1 << 0,
	/* drop the samples so far: they were taken before the begin mark */
	JOB_DROP       = 1 << 1,
	JOB_OPEN       = 1 << 2,	/* start a run of the job with this sample */
	JOB_TAKE       = 1 << 3,	/* add the sample to the job */
	JOB_CLOSE      = 1 << 4,	/* close the run: this sample has the end mark */
	JOB_REOPEN     = 1 << 5,	/* the next run starts here: call job_reopen() */
};

/*
 * Update the watch with a sample, and return the actions to do. A sample belongs to the job if it
 * lists the job, or has its begin or end mark; attributes may follow the job in a mark. After an
 * end mark, only another begin mark makes the job run again.
 */
unsigned job_watch_record(struct job_watch *w, const struct record *r, bool booted);

/*
 * Start the next run of the id, in a record in which a begin mark follows the end mark of a run.
 * Returns the part of the record that belongs to the next run: its marks from that begin mark on.
 */
struct record job_reopen(struct job_watch *w, const struct record *r);

/*
 * Whether the job's end is marked only because a later job has the node alone: the true end is
 * unknown.
 */
bool job_ends_by_later(const struct record *r, struct str job);

/*
 * Find an attribute "KEY=VALUE" in the job's marks: the begin, the end, or a mark that its hook
 * made in between.
 */
bool job_attribute(const struct record *r, struct str job, struct str key, struct str *value);
/*
 * Copy an attribute as text, without the escapes of a mark. Returns false if the attribute is
 * missing or empty.
 */
bool job_attribute_text(const struct record *r, struct str job, struct str key, char *to,
			size_t size);

/*
 * Whether another job was on the node as well. A job that ends in the sample where this one begins,
 * or begins where this one ends, does not count.
 */
bool job_shares(const struct job_watch *w, const struct record *r, unsigned what);

/* All zero: no mark named a user yet. */
struct job_owner {
	char user[64];
	bool by_uid;		/* .user is a number: no mark had a name */
};

/*
 * Update the owner from the marks of a record. A name replaces a number, and the newest name
 * counts: a hook may add the name after the begin.
 */
void job_owner_take(struct job_owner *o, const struct record *r, struct str job);
