/* SPDX-License-Identifier: BSD-3-Clause */
/* run_store.h - store the rows of runs (run_row.h) in an archive, to read records only once */
#pragma once

#include "archive/index.h"
#include "archive/input.h"
#include "base/map.h"
#include "report/jobs/job_list.h"

/*
 * Format of DIR/.runs in an archive DIR: "nodorun1", then run_row_formula() of the writing program
 * (8 bytes), then the rows. A row is a checksum of the rest of the row, the size of the data, a
 * hash of the run and its files (.hash), a hash of its accounting record (.accounting_hash), the
 * times of the run, and the data, padded to a multiple of 8 bytes. Numbers are in native byte
 * order; machines with another byte order compute another formula.
 */
#define RUN_STORE_NAME ".runs"

struct run_store_row {
	uint64_t hash;		/* hash of the run and of the names, sizes and times of its files */
	uint64_t accounting_hash; /* hash of the run's accounting record; 0 if there is none */
	/* byte offset in DIR/.runs or, if .fresh, in the sequence of new rows */
	int64_t at;
	double rank;	/* sort key from .rank() of struct run_store; 0 if .rank is NULL */
	uint32_t size;		/* size of the data in bytes, without the struct head before it */
	bool fresh;		/* run_store_add() added this row */
	bool is_current;		/* run_store_find() found that this row is up to date */
};

/*
 * Rows of runs (struct run_row). The data stay in files and are read row by row, so that an archive
 * with many runs needs little memory.
 */
struct run_store {
	/*
	 * Check a row and compute its sort key. Returns false if the row is invalid. NULL: all rows
	 * are valid.
	 */
	bool (*rank)(void *arg, struct str bytes, double *ret);
	void *arg;
	struct buf path;
	int stored;		/* descriptor of DIR/.runs, or -1 */
	int fresh;		/* descriptor of an unnamed file with new rows, or -1 */
	int64_t tail_at;	/* offset of .tail: the number of bytes in the file .fresh */
	struct buf tail;	/* new rows that were not written to the file .fresh yet */
	uint64_t formula;
	struct run_store_row *row;
	size_t n, cap;
	struct map by_hash;
	uint64_t *file;		/* hash of each file of the archive; 0: not computed yet */
	struct buf one;		/* the row that run_store_bytes() read last */
};
#define RUN_STORE_EMPTY { .stored = -1, .fresh = -1 }

/*
 * Load the rows of DIR/.runs; `files` is the number of files of the archive. DIR/.runs is ignored
 * if its formula is not `formula`, or if anyone but DIR's owner, root and this user could have
 * written the file.
 */
void run_store_read(struct run_store *k, const char *dir, uint64_t formula, size_t files);
/*
 * Load the rows of the open file fd, if its formula is k->formula. From then on, fd belongs to k.
 */
void run_store_take(struct run_store *k, int fd);

/* Compute the hash of a run and its files. Returns 0 if a file cannot be examined. */
uint64_t run_store_hash(struct run_store *k, const struct archive_file *file,
			 const struct listed_job *j);
/*
 * Find the row with these two hashes. Set .is_current of all rows with this .hash: true if they
 * have this .accounting_hash or 0. Returns the index of the found row, or ROW_NONE.
 */
size_t run_store_find(struct run_store *k, uint64_t hash, uint64_t accounting_hash);
/*
 * Read a row. The bytes are valid until the next call of this function, run_store_times() or
 * run_store_write(). Returns false if the row is damaged.
 */
bool run_store_bytes(struct run_store *k, size_t row, struct str *bytes);
/* Read the times of a row, in microseconds. Returns false if the row is damaged. */
bool run_store_times(struct run_store *k, size_t row, int64_t *first, int64_t *last);

/* A row to add. Rows with hash 0 are not stored in the archive. */
struct run_store_new {
	uint64_t hash, accounting_hash;
	int64_t first, last;	/* microseconds */
	struct str bytes;
};
/*
 * Add a row, which replaces a stored row of the same run, and set *row to its index. Returns 0, or
 * -errno if the file of new rows cannot be written.
 */
int run_store_add(struct run_store *k, const struct run_store_new *new, size_t *row) MUST_CHECK;

/*
 * Rewrite DIR/.runs with the old and the new rows. An old row of a run between since and until
 * (microseconds) is dropped unless run_store_find() has set .wanted, because its run or files have
 * changed. Returns 0; -EACCES if this user is neither root nor the owner of DIR; -ENOSPC if free
 * space is below TIDY_FLOOR, which is reserved for records; or another -errno.
 */
int run_store_write(struct run_store *k, const char *dir, int64_t since, int64_t until);
/* Write DIR/jobs.index, see archive/index.h. Returns the same values as run_store_write(). */
int run_store_write_index(const char *dir, struct str text);
void run_store_free(struct run_store *k);
