/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.h - rows of runs that an archive keeps beside its files, so that these are read once */
#pragma once

#include "archive/index.h"
#include "archive/input.h"
#include "base/map.h"
#include "report/jobs/job_list.h"

/*
 * DIR/.runs: "nodorun1", the formula of its rows, and then rows: a checksum of the rest of
 * it, the size of its bytes, what they were computed of, the time of the run, and the bytes, up to
 * a multiple of 8. Numbers have the order of bytes of the machine, which is in the formula.
 */
#define KEPT_NAME ".runs"

struct kept_row {
	uint64_t stamp;		/* of the run and of its files: names, sizes and times */
	uint64_t variant;	/* of what accounting says of it; 0: nothing does */
	int64_t first, last;	/* microseconds */
	struct str bytes;
	bool wanted;		/* found since */
};

/* All zero is a valid empty one. */
struct kept {
	struct buf path, text;
	uint64_t formula;
	struct kept_row *row;
	size_t n, cap;
	struct map by_stamp;
	uint64_t *file;		/* a stamp of each file of the archive; 0: none yet */
};

/*
 * The rows of an archive of so many files, if dir is a folder: of this formula only, and only where
 * the file is of the owner of the folder, of root or of this user, and nobody else may write to it.
 */
void kept_read(struct kept *k, const char *dir, uint64_t formula, size_t files);
void kept_take(struct kept *k, struct str text);	/* rows of a text, which it borrows */

/* A stamp of a run and of its files; 0: some of them cannot be looked at. */
uint64_t kept_stamp(struct kept *k, const struct archive_file *file, const struct listed_job *j);
/* The bytes of the row of a run, which stay until kept_free(). */
bool kept_find(struct kept *k, uint64_t stamp, uint64_t variant, struct str *bytes);

/*
 * Writes the file again: the new rows, and the old ones without those of this time that kept_find()
 * was not asked for, because their run or its files changed. 0, -EACCES: only the owner of the
 * folder and root may, -ENOSPC: the file system is as full as records may make it, or another
 * -errno.
 */
int kept_write(struct kept *k, const char *dir, const struct kept_row *new, size_t n,
	       int64_t since, int64_t until);
/* DIR/jobs.index, see archive/index.h, for the same users. 0 or -errno, likewise. */
int kept_write_index(const char *dir, struct str text);
void kept_free(struct kept *k);
