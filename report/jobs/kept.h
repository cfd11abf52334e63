/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.h - store rows of runs in an archive, so that the records are read only once */
#pragma once

#include "archive/index.h"
#include "archive/input.h"
#include "base/map.h"
#include "report/jobs/job_list.h"

/*
 * Format of DIR/.runs: "nodorun1", the formula of the rows (8 bytes), then the rows. A row has a
 * checksum of the rest of the row, the size of its bytes, a stamp of its input, a stamp of its
 * accounting record, the times of the run, and the bytes, padded to a multiple of 8. Numbers are in
 * native byte order, which is part of the formula.
 */
#define KEPT_NAME ".runs"

struct kept_row {
	uint64_t stamp;		/* hash of the run and of the names, sizes and times of its files */
	uint64_t variant;	/* hash of the run's accounting record; 0 if there is none */
	int64_t at;		/* offset in its file */
	double rank;		/* sort key by .rank() of struct kept; 0 without one */
	uint32_t size;		/* bytes, without the head */
	bool fresh;		/* kept_add() added this row */
	bool wanted;		/* kept_find() was called for this row */
};

/*
 * The rows stay in files and are read one at a time, so that an archive of many runs needs little
 * memory.
 */
struct kept {
	/*
	 * Checks a row and computes its sort key. Returns false if the row is invalid. NULL: all
	 * rows are valid.
	 */
	bool (*rank)(void *arg, struct str bytes, double *ret);
	void *arg;
	struct buf path;
	int stored;		/* descriptor of DIR/.runs, or -1 */
	int fresh;		/* descriptor of an unnamed file with new rows, or -1 */
	int64_t tail_at;	/* size of the file .fresh */
	struct buf tail;	/* new rows that are not in the file yet */
	uint64_t formula;
	struct kept_row *row;
	size_t n, cap;
	struct map by_stamp;
	uint64_t *file;		/* stamp of each file of the archive; 0: not computed yet */
	struct buf one;		/* the row that kept_bytes() read last */
};
#define KEPT_EMPTY { .stored = -1, .fresh = -1 }

/*
 * Find the rows of an archive with this number of files, if dir is a folder. Only accepts rows of
 * the same formula. Ignores the file unless its owner is the owner of the folder, root or this
 * user, and nobody else may write to it.
 */
void kept_read(struct kept *k, const char *dir, uint64_t formula, size_t files);
/* Find the rows of a file and take over its descriptor. */
void kept_take(struct kept *k, int fd);

/* Compute a stamp of a run and its files. Returns 0 if a file cannot be examined. */
uint64_t kept_stamp(struct kept *k, const struct archive_file *file, const struct listed_job *j);
/* Find a run's row. Returns its index, or ROW_NONE. */
size_t kept_find(struct kept *k, uint64_t stamp, uint64_t variant);
/* Read a row. The bytes are valid until the next call. Returns false if the row is damaged. */
bool kept_bytes(struct kept *k, size_t row, struct str *bytes);
/* Read the times of a row, in microseconds. Returns false if the row is damaged. */
bool kept_times(struct kept *k, size_t row, int64_t *first, int64_t *last);

/* A row to add. Rows with stamp 0 are not stored in the archive. */
struct kept_new {
	uint64_t stamp, variant;
	int64_t first, last;	/* microseconds */
	struct str bytes;
};
/* Add a row. Fills its index, and returns 0 or -errno of the file with the new rows. */
int kept_add(struct kept *k, const struct kept_new *new, size_t *row) MUST_CHECK;

/*
 * Rewrite the file with the old and the new rows. Drops old rows in this time range for which
 * kept_find() was not called: their run or its files have changed. Returns 0, -EACCES if this user
 * is neither the owner of the folder nor root, -ENOSPC if free space is below the floor for
 * records, or another -errno.
 */
int kept_write(struct kept *k, const char *dir, int64_t since, int64_t until);
/*
 * Write DIR/jobs.index, see archive/index.h. Has the same requirements and return values as
 * kept_write().
 */
int kept_write_index(const char *dir, struct str text);
void kept_free(struct kept *k);
