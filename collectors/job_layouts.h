/* SPDX-License-Identifier: BSD-3-Clause */
/* job_layouts.h - paths of the cgroups of batch schedulers' jobs */
#pragma once

#include <sys/types.h>
#include "collectors/source.h"

enum { JOB_V1 = 1, JOB_V2 = 2 };	/* versions of cgroups */

/* A mount point of cgroups; for v1, of a controller. */
struct job_mount {
	const char *mount, *controller;
	/*
	 * the mount has no values of type job; it only shows which jobs run, and is used if no
	 * other controller shows them
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
	int versions;
	const char *path;
	bool sluid;	/* the name is Slurm's SLUID, not the job's id, see job_of_sluid() */
	bool slot;	/* the name is that of a slot, not of a job, see job_of_slot() */
	char end;	/* the id ends before the first occurrence of this character, if any */
	/* subdirectories that contain the processes; NULL: the job's directory */
	const char *users;
	/* some directories of the path need not belong to root, see job_owners_any() */
	bool common;
};
extern const struct job_layout job_layouts[];
extern const size_t n_job_layouts;

/*
 * Get the name of the job to which a directory belongs. path is "sys/fs/cgroup/..." or another
 * mount point below the root; id is the id that the layout found in the directory's name. Returns
 * 0; -EAGAIN if the job has no id yet; or -ENOENT if the job is unknown, with the slot's name in
 * *to and the reason in *why.
 */
int job_layout_name(struct source *s, const struct job_layout *l, const char *path, struct str id,
		    char *to, size_t size, const char **why) MUST_CHECK;

/*
 * Get the job of a process from its user and the text of its /proc/PID/cgroup. Returns false if the
 * process is in no job, or in a directory that any user could have made.
 */
bool job_of_cgroups(struct source *s, struct str cgroups, uid_t uid, char *to, size_t size);
