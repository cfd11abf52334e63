/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_steps.h - the steps of one record group, for the files that make them */
#pragma once

#include "recorder/recorder_state.h"

/* Takes the sample of the next group, before any lock; else recorder_record() does. */
void recorder_collect(struct recorder *r);
void recorder_collect_live(struct recorder *r);	/* of the live tier; it is no such sample */

/* The group of the newest sample, with the marks and ids that were made. */
void recorder_put_group(struct recorder *r, int64_t usec, struct buf *to);
const char *recorder_version(const struct recorder *r);	/* of the format, in the header */

void recorder_open_live(struct recorder *r);
void recorder_close_live(struct recorder *r);

/* The jobs as others left them; what is wrong with them stops no sample. */
void recorder_look(struct recorder *r);

/*
 * Takes the lock of the jobs and begins a group: no marks, no ids, the jobs as others left them.
 * 0, also where the folder cannot be used, by nobody then; -ETIMEDOUT: another process holds it,
 * and what it does to the jobs would be lost. recorder_leave() lets go.
 */
int recorder_enter(struct recorder *r) MUST_CHECK;
void recorder_leave(struct recorder *r);

void recorder_add_mark(struct recorder *r, const char *verb, struct str text);
/* One sample, one group, of the marks and ids that were made; usec 0: now. 0 or -errno. */
int recorder_record(struct recorder *r, int64_t usec) MUST_CHECK;
void recorder_save_jobs(struct recorder *r);	/* says by itself if that fails */
void recorder_put_header(struct recorder *r, struct buf *b);
extern const struct archiver_maker recorder_maker;

/* r->group, which holds marks or not, goes to the archive or waits. 0 or -errno. */
int recorder_write(struct recorder *r, int64_t usec) MUST_CHECK;
/* Groups that wait in the runtime directory, under its lock. 0 or -errno. */
int recorder_write_left(struct recorder *r) MUST_CHECK;
void recorder_leave_unwritten(struct recorder *r);	/* at the end */

/* The job is to have the counters no more: a mark says so. False: it had none. */
bool recorder_take_back(struct recorder *r, struct str id);

/*
 * Under the lock of the jobs: each request that is 0 is marked, and has its result. What changes
 * the jobs lies in the runtime directory until they are saved: if this process is killed between,
 * the next one asks for the same mark again, and the archive has it already. 0 or -errno.
 */
int recorder_mark_all(struct recorder *r, struct request *q, size_t n) MUST_CHECK;

/*
 * Begin and end of a job as part of a group, see recorder_jobs.c. A begin may end other jobs, or
 * the one before of this id: these marks have the identity of its request, too.
 */
int job_begin(struct recorder *r, struct str id, enum job_source source, struct str attributes,
	      int64_t at) MUST_CHECK;
int job_end(struct recorder *r, struct str id, enum job_source source,
	    struct str attributes) MUST_CHECK;
/* "%end ID source=SOURCE attributes": the group still belongs to the job, the next one does not. */
void job_mark_end(struct recorder *r, struct str id, const char *source, struct str attributes);
void job_forget(struct recorder *r, struct str id);
/*
 * Jobs whose end no hook has said end in this group, if the job that begins, of these attributes,
 * has the node alone; job_forget_earlier() when the group is written.
 */
void job_end_earlier(struct recorder *r, struct str id, struct str attributes, int64_t at);
void job_forget_earlier(struct recorder *r);
/* What is marked for a request beside its own job has its identity, which is in the attributes. */
void job_put_identity(struct buf *to, struct str attributes);
void job_put_summary(struct recorder *r, struct str id, int64_t end_us);
