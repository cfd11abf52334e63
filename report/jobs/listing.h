/* SPDX-License-Identifier: BSD-3-Clause */
/* listing.h - the jobs of an archive, and the rows of what they used, kept or made now */
#pragma once

#include "archive/from.h"
#include "report/advice.h"
#include "report/asked.h"
#include "report/jobs/kept.h"
#include "report/jobs/list_used.h"

struct listing {
	/* The caller's, set before. */
	const char *dir, *user, *host;	/* NULL: of all */
	struct from from;		/* in place of .dir, if it has a URL */
	int64_t since, until;
	const char *accounting;		/* path, NULL: none */
	const struct advice *advice;	/* of the site */
	bool used;			/* with rows */
	bool keep;			/* rows are made to be kept */
	const char *append;		/* a file for lines of new ones, or NULL */
	const struct run_pages *pages;	/* of runs, or NULL */

	struct kept kept;
	struct sacct sacct;
	struct archive_file *file;
	size_t n;
	struct asked asked;
	struct job_list list;
	uint64_t *stamp;		/* of each job of the list, see kept_stamp() */
	size_t hosts;			/* begun so far */
	int64_t *size;			/* with .keep: of each file when listed, or -1 */
	struct buf index;		/* with .keep: of all files, see archive/index.h */
	bool failed;			/* something was left out, and said */
};

/* False, and said why. */
bool listing_read(struct listing *a);
void listing_free(struct listing *a);
