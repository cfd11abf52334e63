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
 * For jobs whose files were read before, set .known to the program's values, which are valid in
 * this pass. If p is NULL, no program was loaded and no job is known. Counters never decrease. To
 * verify the program, the files of one job are read before and after the walk. A key that differs
 * is read from the files; after three differences, always.
 */
void job_cells_read(struct job_cell_reader *r, struct program *p, struct source *s,
		    struct job_lasts *l);
void job_cells_free(struct job_cell_reader *r);
