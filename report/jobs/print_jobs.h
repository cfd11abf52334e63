/* SPDX-License-Identifier: BSD-3-Clause */
/* print_jobs.h - the table of jobs: for people, as CSV, as JSON */
#pragma once

#include "report/jobs/job_list.h"
#include "report/sacct.h"

#define COST_COLUMNS ",kwh,co2_grams,price"

enum jobs_form { JOBS_TEXT, JOBS_JSON, JOBS_CSV };

struct jobs_table {
	enum jobs_form form;
	bool with_sacct, with_used;	/* with what these have */
	bool exact;			/* CSV is for programs, not for spreadsheets */
	size_t *figure, n_figures;	/* with these of run_figures() */
	const struct factors *factors;	/* costs of energy, shown where a factor is set */
};

void jobs_put_head(struct buf *b, const struct jobs_table *t);
/* a: what accounting has of it, NULL: nothing. */
void jobs_put(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
	      const struct sacct_job *a);

/* Members "figures", "at_least" and "at_most": of each figure of the table that value() knows. */
void jobs_put_figures_json(struct buf *b, const struct jobs_table *t, const void *of,
			   bool (*value)(const void *of, size_t i, struct run_value *ret));

/* As the marks have it, or else accounting; "": neither does. */
const char *jobs_known(const char *of_marks, const char *of_sacct);
void jobs_put_cost_csv(struct buf *b, const struct jobs_table *t, const struct bill *c);
void jobs_csv_number(struct buf *b, bool known, double v);	/* or an empty field */
void jobs_put_figure_names(struct buf *b, const struct jobs_table *t);	/* ",NAME" of each */

/*
 * A line of JSON for engines that have columns and arrays: the run, all its figures. A run that
 * goes on has another line later, with more samples.
 */
void jobs_put_line(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
		   const struct sacct_job *a);

/* The table as other forms have it: these columns, then one for each figure of the table. */
enum { JOBS_COLUMNS = 12 };
extern const char *const jobs_columns[JOBS_COLUMNS];
void jobs_put_row(void *arg, void (*put)(void *arg, size_t column, const char *text),
		  const struct jobs_table *t, const struct listed_job *j,
		  const struct sacct_job *a);
