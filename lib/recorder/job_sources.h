/* SPDX-License-Identifier: BSD-3-Clause */
/* job_sources.h - begin and end jobs by the job file and by control groups, without a hook */
#pragma once

#include "recorder/recorder.h"

/*
 * Read the job file and record changes: a new id ends the previous job, and "-" or an empty file
 * only ends it. Returns 1 if a group was written; 0 if nothing changed and no sample was taken;
 * -ETIMEDOUT if another process holds the jobs lock or marks wait in the spool (try again later);
 * or another -errno.
 */
int recorder_job_file(struct recorder *r) MUST_CHECK;

struct job_cgroup {
	char id[JOB_ID_MAX + 1];
	bool is_new;		/* appeared since the last call */
	bool slot;		/* private to agent/cgroups.c: the directory has a slot's name */
	/*
	 * private to agent/cgroups.c: monotonic time since which the group may be gone, 0: present
	 */
	int64_t gone_ns;
	int64_t gone_us;	/* time since which the group is gone, 0: present */
};
/* Returns true if the job has a control group now. */
bool job_group_among(const struct job_cgroup *g, size_t n, const char *id);

/*
 * Begin and end jobs by the control groups that exist now. Pass all groups. A new group begins its
 * job, unless a hook did. When a group is gone, a job that it began ends at once, at the time when
 * the group went if that is known. A job that a hook began ends after ten minutes if the hook never
 * reports its end. Returns 1 if a group was written; 0 if nothing changed; -ETIMEDOUT if another
 * process holds the jobs lock: groups with .is_new must be passed as new again; or another -errno.
 */
int recorder_groups(struct recorder *r, const struct job_cgroup *g, size_t n) MUST_CHECK;
