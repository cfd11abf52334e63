/* SPDX-License-Identifier: BSD-3-Clause */
/* job_dirs.h - the control groups in which batch schedulers keep their jobs */
#pragma once

#include "base/names.h"
#include "collectors/source.h"

#define JOB_DIRS_MAX 1024
#define JOB_WATCHES 64
#define JOB_DEPTH 8

struct job_dir {
	const char *mount;	/* "sys/fs/cgroup": of v2, or of the controllers of v1 */
	bool v2;
	bool bare;		/* no values of its own are there, see struct job_tree */
	bool seen;		/* by the newest walk */
	const char *users;	/* of its layout */
	char dir[200];		/* below the mount, or below its controllers */
	bool slot;		/* .id is a slot's name: what job runs there cannot be known */
	uint64_t inode;		/* of a slot's group: another one is the next job's */
	char id[128];		/* of the job */
	char device[128];	/* the same; or its directory if another has this id */
};

/* All zero is a valid new one; job_dirs_free() ends it. */
struct job_dirs {
	struct job_dir *job;
	size_t n, cap;
	bool stale;		/* a job has gone: walk again */
	bool scheduler;		/* a directory is there in which a scheduler puts its jobs */
	bool full;		/* there are more than JOB_DIRS_MAX of them */
	const char *why;	/* .slot of the newest job that has it set; or NULL */

	bool walked;
	size_t watches;
	struct {
		int fd;
		uint64_t dev, inode;
		uint64_t links;	/* a directory has one for each in it */
		bool procs;	/* has a cgroup.procs, as each control group */
	} watch[JOB_WATCHES];
	struct names names[JOB_DEPTH];
};

/*
 * Brings the list up to date: walks at the first call, if s->rescan or .stale is set, and if a
 * directory that the last walk looked into has more or fewer others in it. Whether it walked.
 */
bool job_dirs_look(struct job_dirs *j, struct source *s);
/* Whether a directory has more or fewer others in it than when the last walk looked. */
bool job_dirs_changed(const struct job_dirs *j);
void job_dirs_free(struct job_dirs *j);
