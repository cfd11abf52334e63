/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.h - keep track of the jobs on this node, across restarts of the agent */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

#define JOB_ID_MAX 127	/* largest size of a job id in bytes */
#define JOBS_MAX   4096	/* limit of jobs at the same time on one node; more than a node has CPUs */

enum job_source { JOB_FROM_HOOK, JOB_FROM_FILE, JOB_FROM_CGROUP, JOB_SOURCES };
extern const char *const job_source_names[JOB_SOURCES];
bool job_source_find(struct str name, enum job_source *ret);

struct job {
	char id[JOB_ID_MAX + 1];
	/*
	 * time at which the job's begin was requested; TIME of the record with the begin mark may
	 * differ
	 */
	int64_t since_us;
	enum job_source source;
	bool released;		/* the hardware counters were released to the job */
	bool grouped;		/* the job has or had a cgroup */
	/*
	 * time when the job's cgroup disappeared, if no hook has reported the job's end yet; 0: the
	 * cgroup exists, or the job never had one
	 */
	int64_t gone_us;
	/*
	 * time when a hook last reported the begin; .since_us if no hook has reported it after
	 * .since_us
	 */
	int64_t hooked_us;
	int64_t uid;		/* user id from the hook, -1: unknown */
	/* numbers of the job's GPUs from the hook, "0,1,3"; "" if unknown or too long */
	char gpus[64];
	/* names from the hook, as buf_add_word() escapes them; "" if unknown or too long */
	char user[64], account[64];
	bool ends;	/* the next record group records the end of this job */
	bool end_left;		/* the job's end mark waits in the spool */
};

#define ENDED_MAX 1024	/* limit of ended jobs that are remembered */

/* Jobs on the node, and jobs that ended recently. Initialize with zeros. */
struct jobs {
	size_t n, cap;
	struct job *job;
	size_t n_ended, cap_ended;
	/* index of the oldest entry of .ended, once there are ENDED_MAX entries */
	size_t next_ended;
	struct ended {
		char id[JOB_ID_MAX + 1];
		/* time of the job's end; 0: the entry is unused, or the job began again */
		int64_t at_us;
		bool grouped;	/* the job's cgroup may still exist */
		/* the begin of a later job ended this job; no hook reported the end */
		bool later;
	} *ended;	/* jobs that ended recently */
};

void jobs_free(struct jobs *j);

/*
 * Returns true for a valid id: one word without control characters or commas that does not begin
 * with "%" and is not "-".
 */
bool job_id_valid(struct str id);

/* Return the job with this id, or NULL. The pointer is valid until a job is added or removed. */
const struct job *jobs_find(const struct jobs *j, struct str id);

/*
 * Add a job. Returns 0; -EEXIST if it is on the node already; -EINVAL if the id is invalid;
 * -EOVERFLOW if there are JOBS_MAX jobs.
 */
int jobs_add(struct jobs *j, struct str id, int64_t since_us, enum job_source source) MUST_CHECK;
struct job *jobs_get(struct jobs *j, struct str id);		/* returns NULL if not found */
/*
 * Remove a job. The job's end at at_us is remembered until jobs_add() adds the job again, or until
 * ENDED_MAX other jobs have ended. If `grouped` is set, the job's cgroup may still exist. *ret gets
 * the removed job. Returns 0, or -ENOENT if the job was not on the node: *ret then has only the id,
 * and the end is remembered as well.
 */
int jobs_end(struct jobs *j, struct str id, int64_t at_us, bool grouped,
	     struct job *ret) MUST_CHECK;
/* Set .later of an ended job: the begin of a later job ended it. */
void jobs_note_later(struct jobs *j, struct str id);
/* Return the entry of a job that ended after since_us, or NULL. */
const struct ended *jobs_ended_since(const struct jobs *j, struct str id, int64_t since_us);

/* Append the ids of all jobs, separated by commas. */
void jobs_put(const struct jobs *j, struct buf *b);
/* Append the ids of jobs that have reserved the hardware counters. */
void jobs_put_released(const struct jobs *j, struct buf *b);
static inline bool jobs_any_released(const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].released)
			return true;
	return false;
}

/*
 * Return the first word of the job file, which sites write. Returns "" if the file is empty,
 * missing or no regular file, or if the word is not a valid id, such as "-". The word is stored in
 * buf, which has room for more than JOB_ID_MAX bytes.
 */
struct str jobs_read_file(const char *path, char *buf, size_t size);
/* Return the job that the job file began, or NULL. */
const struct job *jobs_of_file(const struct jobs *j);

/*
 * The state file, RUNTIME-DIR/jobs, has a line per job:
 *
 *	ID SINCE SOURCE [released] [grouped] [hooked TIME] [uid N] [gpus LIST] [user=NAME]
 *		[account=NAME]
 *
 * where "released" means that the job has the hardware counters, "grouped" that its cgroup was
 * seen, and "hooked" that its hook reported the begin at TIME, later than SINCE. The file also has
 * a line per remembered end:
 *
 *	ID TIME ended [grouped] [later]
 *
 * where "grouped" means that the cgroup may still exist and "later" that the begin of a later job
 * ended the job. The file does not survive a reboot, and neither do jobs. jobs_save() replaces the
 * file atomically. jobs_load() replaces the jobs, and adds to the ends that are remembered. It
 * skips invalid lines; a missing file has no jobs. Both return 0 or -errno; after an error the jobs
 * are unchanged.
 */
int jobs_load(struct jobs *j, const char *path) MUST_CHECK;
int jobs_save(const struct jobs *j, const char *path) MUST_CHECK;
