/* SPDX-License-Identifier: BSD-3-Clause */
/* job_list.h - the jobs of an archive: when each was there, of whom, on how many nodes */
#pragma once

#include <stdbool.h>
#include "archive/index.h"
#include "base/map.h"
#include "report/job_used.h"

/* One run of a job id on all its nodes. */
struct listed_job {
	char *id, *user;	/* .user NULL: no mark names it */
	int64_t first, last;	/* its samples, microseconds */
	uint64_t samples;
	size_t nodes, begun, ended;	/* .begun of them have a begin mark, .ended an end mark */
	size_t newest;		/* the host that was counted last */
	bool newest_begun, newest_ended;
	struct listed_file {
		size_t file;		/* as it was listed */
		uint64_t samples;	/* UINT64_MAX: not known */
	} *file;		/* those that it is in */
	size_t n_files, cap_files;
	struct job_used used;
};

/* All zero is a valid empty one. */
struct job_list {
	struct listed_job *job;
	size_t n, cap;
	struct map by_id;
};

/*
 * What a file of this host, from 1, has of a job; the files come in order, those of a host
 * together. Runs of one id are another job where their users differ, or a week is between them.
 */
void job_list_add(struct job_list *l, size_t host, const struct listed_file *file,
		  const struct index_job *j);
void job_list_free(struct job_list *l);
void listed_job_free(struct listed_job *j);
