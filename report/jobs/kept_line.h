/* SPDX-License-Identifier: BSD-3-Clause */
/* kept_line.h - "kept runs": runs and rows that a database keeps for nodometer jobs --from */
#pragma once

#include "archive/from.h"
#include "report/jobs/job_list.h"

/*
 * A kept run: a run that a database keeps together with its row. All texts point into the parsed
 * bytes.
 */
struct kept_line {
	struct listed_job job;
	struct str row;		/* the bytes of the run's row, for run_row_take() */
};

/* Append a run and its row. */
void kept_line_put(struct buf *b, const struct listed_job *j, struct str row);
/* Parse a run. Returns false if the bytes are invalid. */
bool kept_line_parse(struct str bytes, struct kept_line *ret);

/*
 * Take the next run from a file of kept runs, where "SIZE " stands before the bytes of each run.
 * Returns 1 if there was a run, 0 at the end of the file, or -EBADMSG.
 */
int kept_line_take(struct str *text, struct kept_line *ret) MUST_CHECK;

/*
 * Remove the file of kept runs from the files of a database's reply, and read it to b. Returns 0,
 * also if the reply has no such file, or -errno.
 */
int kept_line_read(struct archive_file *file, size_t *n, struct buf *b) MUST_CHECK;

/* Describe an error that a function of this header returned. */
const char *kept_line_why(int error);

/*
 * Make the request for the kept runs whose rows were computed with this run_row_formula(). The
 * request's .job points to formula_text, which receives the formula as text.
 */
#define KEPT_FORMULA_MAX 17
struct answer_request kept_line_request(uint64_t formula, char formula_text[KEPT_FORMULA_MAX]);
