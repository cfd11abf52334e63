/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job_judge.h - compare the values that a BPF program reads of a job's cgroup with the cgroup's
 * files
 */
#pragma once

#include "collectors/bpf/job_shared.h"
#include "collectors/job_values.h"

/* All zero is a valid new state. */
struct job_judge {
	uint64_t trusted;	/* mask of the keys that agreed with the file at least once */
	unsigned strikes[JOB_VALUES];	/* consecutive differences of each key */
	/*
	 * number of rescans so far; each rescan verifies the job with this index, modulo the number
	 * of jobs
	 */
	size_t turn;
	struct job_values before;
};

/*
 * Choose a job to verify, and read its files before the walk. Returns NULL if there is no job to
 * verify.
 */
struct job_last *job_judge_begin(struct job_judge *g, struct source *s, struct job_lasts *l);
/*
 * Read the files of the job again after the walk, and compare them with .known, the program's
 * values. Also look for positions in the kernel's memory that are not known yet. Returns a mask of
 * the keys that differed three times in a row.
 */
uint64_t job_judge_end(struct job_judge *g, struct source *s, struct job_last *j,
		       struct job_learning *learning);
