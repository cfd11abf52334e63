/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - which samples of a node belong to a job */
#pragma once

#include <stdbool.h>
#include "schema/record.h"

enum job_state {
	JOB_AWAY,	/* not begun, or over */
	JOB_HERE,
	JOB_LEFT,	/* samples no longer name it, but its end mark may still come */
};

/* Follows one job on one node from sample to sample. All zero but .job is a valid new one. */
struct job_watch {
	struct str job;
	bool any;	/* all samples, whatever job owns the node */
	enum job_state state;
	bool known;	/* the job was here */
	bool begun;	/* with a begin mark */
};

/* Steps that a sample asks for, in the order in which to do them. */
enum {
	JOB_CLOSE_LOST = 1 << 0,	/* the run so far had a begin mark, its end mark is lost */
	JOB_DROP       = 1 << 1,	/* samples so far were before the begin mark */
	JOB_OPEN       = 1 << 2,	/* a run of the job begins with this sample */
	JOB_TAKE       = 1 << 3,	/* the sample is the job's */
	JOB_CLOSE      = 1 << 4,	/* the last sample: there is an end mark */
};

/*
 * A sample is the job's if its jobs name it or it has the job's begin or end mark; attributes may
 * follow the job in a mark. After an end mark only another begin mark makes it run again.
 */
unsigned job_watch_record(struct job_watch *w, const struct record *r, bool booted);

bool job_has_mark(const struct record *r, enum mark_kind kind, struct str job);

/* The job's end is marked because a later job has the node alone: its own time is not known. */
bool job_ends_by_later(const struct record *r, struct str job);

/* "KEY=VALUE" of its marks: of the begin, the end, or what its hook said in between. */
bool job_attribute(const struct record *r, struct str job, struct str key, struct str *value);

/* Whether another job owned the node with it; that one ends where the other begins is none. */
bool job_shares(const struct job_watch *w, const struct record *r, unsigned what);
