/* SPDX-License-Identifier: BSD-3-Clause */
/* list_used.h - compute the rows (run_row.h) of many jobs, reading each file once for all jobs */
#pragma once

#include "archive/input.h"
#include "report/jobs/job_list.h"
#include "report/sacct.h"

/* Callbacks that make pages of runs while their records are read. */
struct run_pages {
	/* Returns whether a page must be made; if so, the run's records are read in any case. */
	bool (*wants)(void *arg, const struct listed_job *j, uint64_t hash);
	/*
	 * Makes the page, possibly in a child process. Returns false, after logging why, on
	 * failure.
	 */
	bool (*make)(void *arg, const struct listed_job *j, struct report *r);
	void *arg;
};

struct list_used {
	/* files of the archive; struct listed_file has indexes into them */
	const struct archive_file *file;
	size_t n_files;
	const char *host;		/* pattern of the hosts to read; NULL: all hosts */
	const struct sacct *sacct;
	const struct finding_site *site;
	const struct run_pages *pages;	/* callbacks, or NULL if no pages are made */
	/* Stores the row of a job, and sets j->row to the row's index. */
	void (*keep)(void *arg, struct listed_job *j, struct str row);
	void *arg;
};

/*
 * Compute the row of each job without a row. Each process holds the data of one host at a time. The
 * results of jobs on several hosts are held until the last host is read, for up to 32,768 nodes at
 * once (about 4 KB each). If the jobs have more nodes in total, files are read again for the jobs
 * that began later.
 */
void list_used(struct job_list *l, const struct list_used *how);
