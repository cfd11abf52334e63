/* SPDX-License-Identifier: BSD-3-Clause */
/* job_layouts.h - where batch schedulers put the control groups of their jobs */
#pragma once

#include <sys/types.h>
#include "collectors/source.h"

enum { JOB_V1 = 1, JOB_V2 = 2 };	/* versions of control groups */

/* Where control groups are mounted; of v1, a controller. */
struct job_tree {
	const char *mount, *controller;
	bool bare;	/* none of the values of type job: there for who uses no other */
};
extern const struct job_tree job_trees[];
extern const size_t n_job_trees;

/*
 * A scheduler is a row: the path of a job's directory below the mount of v2, or below a controller
 * of v1. "*" is any text in a name, "{job}" the job's id.
 */
struct job_layout {
	const char *scheduler;
	int versions;
	const char *path;
	bool sluid;	/* the name is no job's id, see job_of_sluid() */
	bool slot;	/* the name is that of a slot, see job_of_slot() */
	char end;	/* the id ends before the first of these, if any is in the name */
	const char *users;	/* below its directory, where its processes are; NULL: in it */
	bool common;	/* groups among others', not root's: see job_owners_any() */
};
extern const struct job_layout job_layouts[];
extern const size_t n_job_layouts;

/*
 * The job whose directory is path, the root's "sys/fs/cgroup/..." or whatever the mount is, and
 * whose layout found this id in its name. 0, -EAGAIN: it has none yet, or -ENOENT: *to is a slot's
 * name, and *why says why its job cannot be known.
 */
int job_layout_name(struct source *s, const struct job_layout *l, const char *path, struct str id,
		    char *to, size_t size, const char **why) MUST_CHECK;

/*
 * The job of a process of this user, whose /proc/PID/cgroup has this text; false: it is in none,
 * or in a directory that any user can have made.
 */
bool job_of_cgroups(struct source *s, struct str cgroups, uid_t uid, char *to, size_t size);
