/* SPDX-License-Identifier: BSD-3-Clause */
/* print_jobs.h - print the table of jobs: for people, as CSV, as JSON */
#pragma once

#include "report/jobs/job_list.h"
#include "report/sacct.h"

#define COST_COLUMNS ",kwh,co2_grams,price"

enum jobs_form { JOBS_TEXT, JOBS_JSON, JOBS_CSV };

struct jobs_table {
	enum jobs_form form;
	/* print the columns of accounting, and the columns of efficiency */
	bool with_sacct, with_used;
	/* write CSV texts unchanged for programs, even those that a spreadsheet runs as formulas */
	bool exact;
	/* additional figures to print, as figure numbers (run_row.h) */
	size_t *figure, n_figures;
	/* cost factors of energy; costs are printed if a factor is set */
	const struct factors *factors;
};

void jobs_put_head(struct buf *b, const struct jobs_table *t);
/* Print a job. "a" is its accounting record or NULL. */
void jobs_put(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
	      const struct sacct_job *a);

/*
 * Write the members "figures", "at_least" and "at_most". They list each figure of the table for
 * which value(of, i, ...) returns true; i is an index in t->figure.
 */
void jobs_put_figures_json(struct buf *b, const struct jobs_table *t, const void *of,
			   bool (*value)(const void *of, size_t i, struct run_value *ret));

/*
 * Write the job's state as sacct does; with_exit: also the exit code, after "FAILED". If the state
 * is unknown, write "RUNNING", "ended", "no end" or the like, depending on the job's marks.
 */
void jobs_put_state(struct buf *b, const struct listed_job *j, const struct sacct_job *a,
		    bool with_exit);

/* Return of_marks, or if it is NULL, of_sacct, or if both are NULL, "". */
const char *jobs_known(const char *of_marks, const char *of_sacct);
/* writes empty fields if c is NULL, or nothing if no cost factor is set */
void jobs_put_cost_csv(struct buf *b, const struct jobs_table *t, const struct bill *c);
/* writes the number, or an empty field if it is not known */
void jobs_csv_number(struct buf *b, bool known, double v);
/* writes ",NAME" for each figure */
void jobs_put_figure_names(struct buf *b, const struct jobs_table *t);

/* A run's row (run_row.h), and run_row_formula() of the program that computed it. */
struct jobs_stored_run {
	uint64_t formula;
	struct str row;
};

/*
 * Write a JSON line with the run and all its figures, for databases. For a run that is not over,
 * another line is written later, with more samples.
 */
void jobs_put_line(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
		   const struct sacct_job *a, const struct jobs_stored_run *stored);

/* Titles of the columns of the table in HTML; a column for each figure in .figure follows. */
enum { JOBS_COLUMNS = 12 };
extern const char *const jobs_columns[JOBS_COLUMNS];
/* Pass the text of each column of a job to put(), from the first column to the last. */
void jobs_put_row(void *arg, void (*put)(void *arg, size_t column, const char *text),
		  const struct jobs_table *t, const struct listed_job *j,
		  const struct sacct_job *a);
