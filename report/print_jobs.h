/* SPDX-License-Identifier: BSD-3-Clause */
/* print_jobs.h - the table of jobs: for people, as CSV, as JSON */
#pragma once

#include "report/job_list.h"
#include "report/sacct.h"

enum jobs_form { JOBS_TEXT, JOBS_JSON, JOBS_CSV };

struct jobs_table {
	enum jobs_form form;
	bool with_sacct, with_used;	/* with what these have */
	bool exact;			/* CSV is for programs, not for spreadsheets */
};

void jobs_put_head(struct buf *b, const struct jobs_table *t);
/* a: what accounting has of it, NULL: nothing. */
void jobs_put(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
	      const struct sacct_job *a);
