/* SPDX-License-Identifier: BSD-3-Clause */
/* job_dirs.h - find the cgroups of jobs of batch schedulers */
#pragma once

#include "base/names.h"
#include "collectors/source.h"

#define JOB_DIRS_MAX 1024
#define JOB_WATCHES 64
#define JOB_DEPTH 8

struct job_dir {
	/*
	 * mount point: "sys/fs/cgroup" for v2; for v1, the directory that contains the controllers'
	 * mounts
	 */
	const char *mount;
	bool v2;
	bool bare;		/* directory without values of type job, see struct job_mount */
	bool seen;		/* the newest walk found the directory */
	const char *users;	/* subdirectories with the processes, see struct job_layout */
	char dir[200];		/* path below .mount or, for v1, below a controller */
	bool slot;		/* the job of the slot is unknown, so .id is the slot's name */
	uint64_t inode;		/* inode of a slot's cgroup; another inode means another job */
	char id[128];		/* job id */
	char device[128];	/* .id, or .dir if another job has the same id */
};

/* All zero is a valid empty list; job_dirs_free() releases it. */
struct job_dirs {
	struct job_dir *job;
	size_t n, cap;
	bool stale;		/* a job has gone: walk again at the next call */
	bool scheduler;		/* the parent directory of at least one scheduler's jobs exists */
	bool full;		/* more than JOB_DIRS_MAX jobs were found */
	const char *why;	/* reason why the newest job of a slot is unknown, or NULL */

	bool walked;
	size_t watches;
	struct {
		int fd;
		uint64_t dev, inode;
		/* link count of the directory, which grows with each subdirectory */
		uint64_t links;
		bool procs;	/* the directory has a file cgroup.procs, as every cgroup does */
	} watch[JOB_WATCHES];
	struct names names[JOB_DEPTH];
};

/*
 * Update the list. Walks at the first call, if s->rescan or .stale is set, and if subdirectories
 * came or went in a directory that the last walk listed. Returns true if it walked.
 */
bool job_dirs_look(struct job_dirs *j, struct source *s);
/*
 * Returns true if subdirectories came or went, since the last walk, in a directory that the walk
 * listed.
 */
bool job_dirs_changed(const struct job_dirs *j);
void job_dirs_free(struct job_dirs *j);
