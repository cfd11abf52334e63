/* SPDX-License-Identifier: BSD-3-Clause */
/* job_cells.h - read the cgroups of all jobs with one run of a BPF program */
#pragma once

#include "collectors/bpf/programs.h"
#include "collectors/job_judge.h"

/* All zero is a valid new reader; job_cells_free() releases it. */
struct job_cell_reader {
	/* number of jobs when the slots of the program's shared memory were last assigned */
	size_t placed;
	struct job_judge judge;
	size_t n_above;
	/*
	 * open files of the jobs' parent cgroups; reading them makes the kernel flush its
	 * statistics
	 */
	int above[JOB_PARENTS][2];
};

/*
 * Run the BPF program, and store its values in .known of each job and each parent cgroup. Jobs
 * whose files were never read get no values. p may be NULL if no program was loaded: then no job
 * gets values. Counters other than I/O never decrease. At each new job and rescan, the files of one
 * job are read before and after the program runs, and are compared with the program's values. A key
 * is used once its values agreed, and no longer after three differences in a row.
 */
void job_cells_read(struct job_cell_reader *r, struct program *p, struct source *s,
		    struct job_lasts *l);
void job_cells_free(struct job_cell_reader *r);
