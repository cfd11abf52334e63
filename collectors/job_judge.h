/* SPDX-License-Identifier: BSD-3-Clause */
/* job_judge.h - verify the values of a BPF program with the files of the job's cgroup */
#pragma once

#include "collectors/bpf/job_shared.h"
#include "collectors/job_values.h"

/* All zero is a valid new state. */
struct job_judge {
	uint64_t trusted; /* mask of the keys whose values agreed with the file at least once */
	unsigned strikes[JOB_VALUES];	/* number of consecutive differences of each key */
	/* number of rescans so far, to choose the next job to verify */
	size_t turn;
	struct job_values before;
};

/*
 * Choose a job to verify, and read the job's files before the program runs. Returns NULL if no job
 * can be verified now, or if the files cannot be read.
 */
struct job_last *job_judge_begin(struct job_judge *g, struct source *s, struct job_lasts *l);
/*
 * Read the job's files again after the program has run, and compare them with the program's values,
 * j->group.known. Also find the positions of values in the kernel's memory that are not known yet,
 * see struct job_learning. Returns a mask of the keys that differed three times in a row.
 */
uint64_t job_judge_end(struct job_judge *g, struct source *s, struct job_last *j,
		       struct job_learning *learning);
