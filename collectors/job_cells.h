/* SPDX-License-Identifier: BSD-3-Clause */
/* job_cells.h - read all jobs' cgroups with one walk of a BPF program */
#pragma once

#include "collectors/bpf/programs.h"
#include "collectors/job_judge.h"

/* All zero is a valid new reader; job_cells_free() releases it. */
struct job_cell_reader {
	size_t placed;		/* number of cgroups that the program looks for in each walk */
	struct job_judge judge;
	size_t n_above;
	/* descriptors of the parents' files; reading one makes the kernel flush statistics */
	int above[JOB_PARENTS][2];
};

/*
 * Set .known of each job to the program's values, which are valid in this pass. Jobs whose files
 * were not read before are left out. If p is NULL, no program was loaded and no job is known.
 * Counters never decrease. To verify the program, the files of one job are read before and after
 * the walk. The program's value of a key is used once it has agreed with the files, and no longer
 * after three differences in a row.
 */
void job_cells_read(struct job_cell_reader *r, struct program *p, struct source *s,
		    struct job_lasts *l);
void job_cells_free(struct job_cell_reader *r);
