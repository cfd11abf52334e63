/* SPDX-License-Identifier: BSD-3-Clause */
/* job_layouts.h - paths of the cgroups of batch schedulers' jobs */
#pragma once

#include <sys/types.h>
#include "collectors/source.h"

enum { JOB_V1 = 1, JOB_V2 = 2 };	/* versions of cgroups */

/*
 * A mount point of cgroups v2, with .controller NULL; or .mount/.controller, the mount point of a
 * controller of v1.
 */
struct job_mount {
	const char *mount, *controller;
	/*
	 * the mount shows only which jobs run, not their values; used if no other mount shows the
	 * jobs
	 */
	bool bare;
};
extern const struct job_mount job_mounts[];
extern const size_t n_job_mounts;

/*
 * A scheduler: the path of a job's directory below the mount point of v2 or below a controller of
 * v1. "*" stands for any text in a name, "{job}" for the job's id.
 */
struct job_layout {
	const char *scheduler;
	int versions;	/* mask of JOB_V1 and JOB_V2 */
	const char *path;
	/* the directory's name is Slurm's SLUID, not the job's id, see job_of_sluid() */
	bool sluid;
	bool slot;	/* HTCondor: the directory's name is that of a slot, see job_of_slot() */
	char end;	/* character that ends the id in the directory's name, or 0 */
	/*
	 * pattern of the subdirectories with the job's processes; NULL: the job's directory itself
	 */
	const char *users;
	/* scheduler users may own directories of the path, see job_owners_any() */
	bool common;
};
extern const struct job_layout job_layouts[];
extern const size_t n_job_layouts;

/*
 * Get the name of the job that the directory `path`, such as "sys/fs/cgroup/...", belongs to. path
 * may be below another mount point. id is the part of the directory's name that {job} in the layout
 * stands for. Returns 0; -EAGAIN if the job has no id yet; or -ENOENT if the job is unknown, with
 * the slot's name in *to and the reason in *why.
 */
int job_layout_name(struct source *s, const struct job_layout *l, const char *path, struct str id,
		    char *to, size_t size, const char **why) MUST_CHECK;

/*
 * Get the job of a process from its user and its /proc/PID/cgroup; with HTCondor, the slot's name
 * instead of the job. Returns false if the process has no job, or if any user could have made its
 * cgroup.
 */
bool job_of_cgroups(struct source *s, struct str cgroups, uid_t uid, char *to, size_t size);
