/* SPDX-License-Identifier: BSD-3-Clause */
/* job_ends.h - detect the end of the last process of a job or step with inotify(7) */
#pragma once

#include "base/names.h"
#include "collectors/job_last.h"

#define JOB_ENDS_MAX    4096	/* largest number of directories and files that are watched */
/* largest number of watches per job; a job's other files are read every few seconds instead */
#define JOB_ENDS_OF_JOB 256

/* All zero is a valid new state; job_ends_free() releases it. */
struct job_ends {
	int fd;	/* inotify descriptor, which the caller closes; 0: nothing is watched */
	struct job_end {
		int wd;
		uint64_t job;	/* the job's .number in struct job_last */
		bool wanted;
	} *watch;
	size_t n, cap;
	/* scratch memory for directory listings, one for each depth */
	struct names names[2];
};

void job_ends_free(struct job_ends *e);

/*
 * Set .changed of each job in which processes or steps came or went. Returns true if there is any.
 */
bool job_ends_read(struct job_ends *e, struct job_lasts *l);

/*
 * Watch the job's cgroups (v2 only) for the end of processes. Returns true if the job has a
 * process.
 */
bool job_ends_look(struct job_ends *e, struct source *s, const struct job_last *j);

void job_ends_forget(struct job_ends *e, uint64_t job);
