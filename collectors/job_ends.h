/* SPDX-License-Identifier: BSD-3-Clause */
/* job_ends.h - when the last process of a job, or of one of its steps, has ended: by inotify(7) */
#pragma once

#include "base/names.h"
#include "collectors/job_last.h"

#define JOB_ENDS_MAX    4096	/* directories and files that are watched at a time, */
#define JOB_ENDS_OF_JOB 256	/* of one job; the rest is read every few seconds */

/* All zero is a valid new one; job_ends_free() ends it. */
struct job_ends {
	int fd;			/* of inotify, borrowed; 0: nothing is watched */
	struct job_end {
		int wd;
		uint64_t job;	/* .number of struct job_last */
		bool wanted;
	} *watch;
	size_t n, cap;
	struct names names[2];	/* of a directory, at each depth */
};

void job_ends_free(struct job_ends *e);

/* Sets .changed of jobs where processes or steps came or went; whether there is one. */
bool job_ends_read(struct job_ends *e, struct job_lasts *l);

/*
 * Watches the groups of version 2 that this job has its processes in, from now on. Whether there
 * is a process in one.
 */
bool job_ends_look(struct job_ends *e, struct source *s, const struct job_last *j);

void job_ends_forget(struct job_ends *e, uint64_t job);
