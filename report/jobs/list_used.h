/* SPDX-License-Identifier: BSD-3-Clause */
/* list_used.h - what the jobs of a list used, from one reading of the files that have them */
#pragma once

#include "archive/input.h"
#include "report/jobs/job_list.h"
#include "report/sacct.h"

/* Pages of runs, which are made while their records are read. */
struct run_pages {
	/* Whether there has to be one: the run is read then, though its row is known. */
	bool (*wants)(void *arg, const struct listed_job *j, uint64_t stamp);
	/* Makes it, in a process of its own maybe. False: it could not, and said why. */
	bool (*make)(void *arg, const struct listed_job *j, struct report *r);
	void *arg;
};

struct list_used {
	const struct archive_file *file;	/* all files of the list */
	const char *host;		/* only records of these, a pattern; NULL: all */
	const struct sacct *sacct;
	const struct finding_site *site;
	const struct run_pages *pages;	/* or NULL */
};

/*
 * Fills .row of each job that has none. The processes that read hold one host each; of jobs on
 * several hosts, what each host said is kept until the last one has been read: of 32,768 of their
 * nodes at once, about 4 KB each. Beyond that, a file is read once more for the jobs that began
 * later.
 */
void list_used(struct job_list *l, const struct list_used *how);
