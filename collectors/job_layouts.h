/* SPDX-License-Identifier: BSD-3-Clause */
/* job_layouts.h - where batch schedulers put the control groups of their jobs */
#pragma once

#include <sys/types.h>
#include "schema/sample.h"

enum { JOB_V1 = 1, JOB_V2 = 2 };	/* versions of control groups */

/*
 * A scheduler is a row: the path of a job's directory below the mount of v2, or below a controller
 * of v1. "*" is any text in a name, "{job}" the job's id.
 */
struct job_layout {
	const char *scheduler;
	int versions;
	const char *path;
	bool sluid;	/* the name is no job's id, see job_of_sluid() */
	bool slot;	/* the name is the slot's that jobs run in, one after another */
	bool common;	/* others than the scheduler make the directories on the way, too */
};
extern const struct job_layout job_layouts[];
extern const size_t n_job_layouts;

/*
 * The job of a process of this user, whose /proc/PID/cgroup has this text; false: it is in none,
 * or in a directory that the user can have made.
 */
bool job_of_cgroups(struct sample *s, struct str cgroups, uid_t uid, char *to, size_t size);
