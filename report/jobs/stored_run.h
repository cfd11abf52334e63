/* SPDX-License-Identifier: BSD-3-Clause */
/* stored_run.h - serialize "stored runs": runs that a database keeps for nodometer jobs --from */
#pragma once

#include "archive/from.h"
#include "report/jobs/job_list.h"

/*
 * A run that a database keeps, together with its row (run_row.h). All strings point into the parsed
 * bytes.
 */
struct stored_run {
	struct listed_job job;
	struct str row;		/* the bytes of the run's row, for run_row_take() */
};

/* Append a run and its row. */
void stored_run_put(struct buf *b, const struct listed_job *j, struct str row);
/* Parse a run. Returns false if the bytes are invalid. */
bool stored_run_parse(struct str bytes, struct stored_run *ret);

/*
 * Take the next run of a text that is sorted by id and start; each run is preceded by its size and
 * a blank. If the text has several copies of the run, take the copy with the most samples: a
 * database has two copies if an earlier start of the run became known later. Returns 1, or 0 at the
 * end of the text, or -EBADMSG.
 */
int stored_run_take(struct str *text, struct stored_run *ret) MUST_CHECK;

/*
 * Read the file of stored runs, one of the *n files that a database sent, into b, and remove it
 * from the list of files. Returns 0, also if there is no such file, or -errno.
 */
int stored_run_read(struct archive_file *file, size_t *n, struct buf *b) MUST_CHECK;

/* Return a message for an error of the functions above. */
const char *stored_run_why(int error);

/*
 * Return a request to a database for the stored runs whose rows have this run_row_formula(). The
 * request points to formula_text, which receives the formula as text.
 */
#define STORED_FORMULA_MAX 17
struct answer_request stored_run_request(uint64_t formula, char formula_text[STORED_FORMULA_MAX]);
