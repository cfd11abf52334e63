/* SPDX-License-Identifier: BSD-3-Clause */
/* job_cells.h - values of all jobs' control groups from one walk of a program in the kernel */
#pragma once

#include "collectors/bpf/programs.h"
#include "collectors/job_judge.h"

/* All zero is one that has not read anything; job_cells_free() ends it. */
struct job_cell_reader {
	size_t placed;		/* groups that the program looks for */
	struct job_judge judge;
	size_t n_above;
	int above[JOB_PARENTS][2];	/* files that are read so that the kernel adds up */
};

/*
 * Fills .known of the jobs that were read from their files before, for this pass; p is NULL where
 * no program was loaded, then there is nothing in it. Values never go back. The files judge: those
 * of one job are read before and after the walk. A key that differs is read from them, for good if
 * it does so three times.
 */
void job_cells_read(struct job_cell_reader *r, struct program *p, struct source *s,
		    struct job_lasts *l);
void job_cells_free(struct job_cell_reader *r);
