/* SPDX-License-Identifier: BSD-3-Clause */
/* job_sources.h - begin and end jobs by the job file and by cgroups, without a hook */
#pragma once

#include "recorder/recorder.h"

/*
 * Begin and end jobs as the job file says. If the id in the file is new, the job of the previous id
 * ends and a job begins; if the file is empty or has "-", the previous job ends. Returns 1 if a
 * record group was written; 0 if nothing changed and no sample was taken; -ETIMEDOUT if another
 * process holds the jobs lock or marks wait in the spool (try again later); or another -errno.
 */
int recorder_job_file(struct recorder *r) MUST_CHECK;

struct job_cgroup {
	char id[JOB_ID_MAX + 1];
	bool is_new;		/* the cgroup appeared since the last call of recorder_groups() */
	/* private to agent/cgroups.c: the directory has the name of an HTCondor slot */
	bool slot;
	/*
	 * private to agent/cgroups.c: monotonic time at which the cgroup was first found missing;
	 * 0: it exists
	 */
	int64_t gone_ns;
	/* time at which the cgroup disappeared; 0: it exists, or may return */
	int64_t gone_us;
};
/* Return true if g[0..n) has a cgroup of job `id` that exists or may return (.gone_us is 0). */
bool job_group_among(const struct job_cgroup *g, size_t n, const char *id);

/*
 * Begin a job when its cgroup appears, unless the job is on the node already, or has ended within
 * the last hour and may not have lost its old cgroup yet. End the job when its cgroup disappears,
 * at the time of the disappearance if that is known. g must list the cgroups of all jobs. A job
 * that a hook began ends only ten minutes after its cgroup disappeared, unless the hook reports the
 * end before. A job of the job file does not end. Returns 1 if a record group was written; 0 if
 * nothing changed; -ETIMEDOUT if another process holds the jobs lock (call again with the same
 * .is_new); or another -errno.
 */
int recorder_groups(struct recorder *r, const struct job_cgroup *g, size_t n) MUST_CHECK;
