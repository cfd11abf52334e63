/* SPDX-License-Identifier: BSD-3-Clause */
/* job_dirs.h - find the cgroups of jobs of batch schedulers */
#pragma once

#include "base/names.h"
#include "collectors/source.h"

#define JOB_DIRS_MAX 1024
#define JOB_WATCHES 64
#define JOB_DEPTH 8

struct job_dir {
	/* "sys/fs/cgroup" for v2; for v1, the directory of the controllers' mounts */
	const char *mount;
	bool v2;
	bool bare;		/* shows only which jobs run, not their values */
	bool seen;		/* the newest walk found the directory */
	/* pattern of the subdirectories with the job's processes; NULL: .dir itself */
	const char *users;
	char dir[200];	/* path below .mount (v2) or below a controller's mount point (v1) */
	bool slot;	/* HTCondor: the job in this slot is unknown, so .id is the slot's name */
	uint64_t inode;		/* HTCondor: inode of the slot's cgroup, another one for each job */
	char id[128];		/* job id */
	char device[128];	/* device of the job's row: .id, or .dir if two jobs have this id */
};

/* All zero is a valid empty list; job_dirs_free() releases it. */
struct job_dirs {
	struct job_dir *job;
	size_t n, cap;
	bool stale;	/* a job has gone or has no id yet: search at the next job_dirs_look() */
	bool scheduler;		/* the parent directory of some scheduler's jobs exists */
	bool full;		/* more than JOB_DIRS_MAX jobs were found */
	/* reason why the job in a slot is unknown, for the slot found last; or NULL */
	const char *why;

	bool walked;
	size_t watches;
	struct {
		int fd;
		uint64_t dev, inode;
		/* the directory's link count, which grows by 1 with each subdirectory */
		uint64_t links;
		bool procs;	/* the directory has the file cgroup.procs */
	} watch[JOB_WATCHES];
	struct names names[JOB_DEPTH];
};

/*
 * Update the list of jobs: at the first call, at a rescan, if .stale is set, and if a directory
 * with jobs has changed. Otherwise keep the list. Returns true if the list was updated.
 */
bool job_dirs_look(struct job_dirs *j, struct source *s);
/* Returns true if subdirectories came or went in a directory that the last search listed. */
bool job_dirs_changed(const struct job_dirs *j);
void job_dirs_free(struct job_dirs *j);
