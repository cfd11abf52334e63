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
	int64_t first, last;	/* microseconds */
	struct str bytes;
	bool wanted;		/* kept_find() was called for this row */
};

/* All zero is a valid empty state. */
struct kept {
	struct buf path, text;
	uint64_t formula;
	struct kept_row *row;
	size_t n, cap;
	struct map by_stamp;
	uint64_t *file;		/* stamp of each file of the archive; 0: not computed yet */
};

/*
 * Read the rows of an archive with this number of files, if dir is a folder. Only accepts rows of
 * the same formula. Ignores the file unless its owner is the owner of the folder, root or this
 * user, and nobody else may write to it.
 */
void kept_read(struct kept *k, const char *dir, uint64_t formula, size_t files);
/* adds the rows of a text; borrows the text */
void kept_take(struct kept *k, struct str text);

/* Compute a stamp of a run and its files. Returns 0 if a file cannot be examined. */
uint64_t kept_stamp(struct kept *k, const struct archive_file *file, const struct listed_job *j);
/*
 * Find the bytes of a run's row. They are valid until kept_free(). Returns false if there is none.
 */
bool kept_find(struct kept *k, uint64_t stamp, uint64_t variant, struct str *bytes);

/*
 * Rewrite the file with the old and the new rows. Drops old rows in this time range for which
 * kept_find() was not called: their run or its files have changed. Returns 0, -EACCES if this user
 * is neither the owner of the folder nor root, -ENOSPC if free space is below the floor for
 * records, or another -errno.
 */
int kept_write(struct kept *k, const char *dir, const struct kept_row *new, size_t n,
	       int64_t since, int64_t until);
/*
 * Write DIR/jobs.index, see archive/index.h. Has the same requirements and return values as
 * kept_write().
 */
int kept_write_index(const char *dir, struct str text);
void kept_free(struct kept *k);
