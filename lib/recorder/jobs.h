/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.h - which jobs own this node at the moment, kept over restarts of the agent */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

#define JOB_ID_MAX 127	/* bytes */
#define JOBS_MAX   4096	/* on one node at a time: a node has fewer CPUs than that */

enum job_source { JOB_FROM_HOOK, JOB_FROM_FILE, JOB_FROM_CGROUP, JOB_SOURCES };
extern const char *const job_source_names[JOB_SOURCES];
bool job_source_find(struct str name, enum job_source *ret);

struct job {
	char id[JOB_ID_MAX + 1];
	int64_t since_us;	/* TIME of its begin mark */
	enum job_source source;
	bool released;		/* has the hardware counters */
	bool grouped;		/* a control group was seen */
	int64_t gone_us;	/* when the group was gone, with no end from a hook; 0: it is not */
	int64_t hooked_us;	/* when its hook began it */
	int64_t uid;		/* the user, where the hook said it; -1: not known */
	char gpus[64];		/* "0,1,3", where it said that; "": not known, or longer */
	char user[64], account[64];	/* likewise */
	bool ends;		/* with the group that is being made, see job_begin() */
};

#define ENDED_MAX 1024	/* jobs whose end is remembered */

/* All zero is an empty one; both tables grow. */
struct jobs {
	size_t n, cap;
	struct job *job;
	size_t n_ended, cap_ended;
	size_t next_ended;	/* the oldest, once there are ENDED_MAX */
	struct ended {
		char id[JOB_ID_MAX + 1];
		int64_t at_us;		/* 0: none, or it began again */
		bool grouped;		/* the control group is still there, or may be */
		bool later;		/* ended by the begin of a later job */
	} *ended;	/* the last ones that ended */
};

void jobs_free(struct jobs *j);

/* An id is one word without control characters, commas, "%" at its start, and not "-". */
bool job_id_valid(struct str id);

const struct job *jobs_find(const struct jobs *j, struct str id);	/* or NULL */

/* 0, -EEXIST: it owns the node already, -EINVAL: not an id, -EOVERFLOW: JOBS_MAX own it. */
int jobs_add(struct jobs *j, struct str id, int64_t since_us, enum job_source source) MUST_CHECK;
struct job *jobs_get(struct jobs *j, struct str id);		/* or NULL */
/*
 * Remembers the end of a job, whether it was known or not, until its next jobs_add(); grouped: its
 * control group may be there, whatever is known of it. *ret is the job, which is in the table no
 * more, or has only the id. 0, -ENOENT: it did not own the node.
 */
int jobs_end(struct jobs *j, struct str id, int64_t at_us, bool grouped,
	     struct job *ret) MUST_CHECK;
void jobs_note_later(struct jobs *j, struct str id);	/* no hook ended it */
/* The end of a job that came after since_us, or NULL. */
const struct ended *jobs_ended_since(const struct jobs *j, struct str id, int64_t since_us);

/* The ids with commas between them; nothing when there is no job. */
void jobs_put(const struct jobs *j, struct buf *b);
/* The same of those that have the counters. */
void jobs_put_released(const struct jobs *j, struct buf *b);
static inline bool jobs_any_released(const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].released)
			return true;
	return false;
}

/*
 * The job file that sites write: its first word, borrowed from buf, if that is an id; "" if not:
 * "-", an empty file, no file. And the job that it began, or NULL.
 */
struct str jobs_read_file(const char *path, char *buf, size_t size);
const struct job *jobs_of_file(const struct jobs *j);

/*
 * The state file, RUNTIME-DIR/jobs: lines "ID SINCE SOURCE", with " released" after those that
 * have the counters, " grouped" after those whose control group was seen, " hooked TIME" after
 * those whose hook came later than the begin, " uid N", " gpus 0,1", " user=NAME" and
 * " account=NAME"; and "ID TIME ended", with " grouped" where the group may still be there, and
 * " later" where a later begin ended it. It does not outlive a boot, nor do jobs. Saving replaces
 * it whole. Loading a file that is not there gives no jobs; lines that cannot be read are left out.
 * 0 or -errno: then the jobs are what they were.
 */
int jobs_load(struct jobs *j, const char *path) MUST_CHECK;
int jobs_save(const struct jobs *j, const char *path) MUST_CHECK;
