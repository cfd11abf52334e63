/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.h - begins and ends of jobs, each marked once, whichever source reports it first */
#pragma once

#include "recorder/recorder.h"

/* A hook's end that comes within this time after another end of the job says nothing new. */
#define JOB_LATE_US 3600000000

/*
 * Begin and end of a job as part of a group, between recorder_enter() and recorder_record(); at is
 * when it was asked for. They return what recorder_begin() and recorder_end() do. A begin may end
 * other jobs, or the one before of this id: these marks have the identity of its request, too.
 */
int job_begin(struct recorder *r, struct str id, enum job_source source, struct str attributes,
	      int64_t at) MUST_CHECK;
int job_end(struct recorder *r, struct str id, enum job_source source,
	    struct str attributes) MUST_CHECK;
/* The group was written: a job that ended is forgotten, its summary in r->ended. */
void job_forget(struct recorder *r, struct str id);
void job_forget_earlier(struct recorder *r);	/* jobs that ended by a later begin */
/* Puts the summary of a job into r->ended; end_us is 0 where it has not ended. */
void job_put_summary(struct recorder *r, struct str id, int64_t end_us);

/*
 * Gives the hardware counters to a job, in this group for the last time: when it returns none is
 * open. -ENOENT: the job does not own the node, no sample was taken; -EALREADY: it has them;
 * -EBUSY: a worker that hangs holds some.
 */
int recorder_release(struct recorder *r, struct str id) MUST_CHECK;
/* Takes them back, id "": from all jobs. -ENOENT: it had none, no sample was taken. */
int recorder_acquire(struct recorder *r, struct str id) MUST_CHECK;
