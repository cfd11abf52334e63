/* SPDX-License-Identifier: BSD-3-Clause */
/* listing.h - list the jobs of an archive, with stored or newly computed rows (run_row.h) */
#pragma once

#include "archive/from.h"
#include "report/advice.h"
#include "report/answer_files.h"
#include "report/jobs/run_store.h"
#include "report/jobs/list_used.h"
#include "report/search.h"

struct listing {
	/* The caller sets all members up to .arg before it calls listing_read(). */
	const char *dir, *user, *host;	/* .user and .host may be NULL for no restriction */
	struct from from;		/* replaces .dir if .from has a URL */
	int64_t since, until;
	const char *accounting;		/* path of the accounting file, or NULL */
	const struct advice *advice;	/* settings of the site */
	bool used;			/* compute the efficiency and findings of each run, too */
	/*
	 * true: store the rows and the index of all files in the archive, and log if rows cannot be
	 * stored; false: store only rows, if .used is set and this user may write there
	 */
	bool keep;
	/* path of a file to which new rows are appended as JSON lines, or NULL */
	const char *append;
	const struct run_pages *pages;	/* makes pages of runs, or NULL */
	/* returns the sort key (.order) of a job, given its row; or NULL */
	double (*rank)(void *arg, const struct run_row *row);
	void *arg;

	struct run_store store;
	struct sacct sacct;
	struct archive_file *file;
	size_t n;
	struct answer_use answer;
	struct job_list list;
	/* ids of the stored runs (stored_run.h) of a database */
	struct words stored_ids;
	/* run_store_hash() of each job in the list; 0: its row is not stored */
	uint64_t *hash;
	size_t hosts;			/* number of hosts read so far */
	int64_t *size;	/* if .keep: size of each file before the file was read; -1: unknown */
	struct buf index;		/* if .keep: index of all files, see archive/index.h */
	/* the job that listing_job() returned last */
	struct listed_job one;
	struct run_row row;
	bool failed;			/* something was left out, and a message logged */
};

#define LISTING_ALL { .dir = DIR_DEFAULT, .since = INT64_MIN, .until = INT64_MAX, \
		      .store = RUN_STORE_EMPTY }

/*
 * List the jobs and fill in their rows. Returns false, after logging why, on failure. Call
 * listing_free() in both cases.
 */
bool listing_read(struct listing *a);
/*
 * Return a copy of a job of the list, valid until the next call; .is points to its row if rows were
 * computed. If the row cannot be read again, logs a message, and all values are unknown.
 */
const struct listed_job *listing_job(struct listing *a, size_t i);
void listing_free(struct listing *a);
