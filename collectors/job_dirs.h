/* SPDX-License-Identifier: BSD-3-Clause */
/* job_dirs.h - the control groups in which batch schedulers keep their jobs */
#pragma once

#include "base/names.h"
#include "schema/sample.h"

#define JOBS_MAX 1024
#define JOB_WATCHES 64
#define JOB_DEPTH 8

struct job {
	const char *mount;	/* "sys/fs/cgroup": of v2, or of the controllers of v1 */
	bool v2;
	bool seen;		/* by the newest walk */
	uint64_t keys;		/* that it was ever read with */
	char dir[200];		/* below the mount, or below its controllers */
	char device[128];	/* the job's id; with its directory if another has the same */
};

/* All zero is a valid new one; jobs_free() ends it. */
struct jobs {
	struct job *job;
	size_t n, cap;
	bool stale;		/* a job has gone: walk again */
	bool scheduler;		/* a directory is there in which a scheduler puts its jobs */

	bool walked;
	size_t watches;
	struct {
		int fd;
		uint64_t dev, inode;
		uint64_t links;	/* a directory has one for each in it */
	} watch[JOB_WATCHES];
	struct names names[JOB_DEPTH];
};

/*
 * Brings the list up to date: walks at the first call, if s->rescan or .stale is set, and if a
 * directory that the last walk looked into has more or fewer others in it.
 */
void jobs_look(struct jobs *j, struct sample *s);
void jobs_free(struct jobs *j);
