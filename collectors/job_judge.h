/* SPDX-License-Identifier: BSD-3-Clause */
/* job_judge.h - whether a program in the kernel reads of a job's group what its files say */
#pragma once

#include "collectors/bpf/job_shared.h"
#include "collectors/job_values.h"

/* All zero is a new one. */
struct job_judge {
	uint64_t trusted;	/* keys that were once as the file */
	unsigned strikes[JOB_VALUES];	/* of a key, one after another: it was not */
	size_t turn;		/* of the jobs that are known */
	struct job_values before;
};

/* Before a walk: reads the files of a job that is to be judged, a new one or the next; or NULL. */
struct job_last *job_judge_begin(struct job_judge *g, struct source *s, struct job_lasts *l);
/*
 * After it, .known being what the program says: reads the files again. Returns keys that differed
 * three times in a row. Finds places in the kernel's memory that are not known yet.
 */
uint64_t job_judge_end(struct job_judge *g, struct source *s, struct job_last *j,
		       struct job_learning *learning);
