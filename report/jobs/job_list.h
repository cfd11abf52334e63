/* SPDX-License-Identifier: BSD-3-Clause */
/* job_list.h - the jobs of an archive: when each run was there, of whom, on how many nodes */
#pragma once

#include <stdbool.h>
#include "archive/index.h"
#include "archive/input.h"
#include "base/map.h"
#include "report/jobs/run_row.h"

#define WEEK_US (INT64_C(7) * 86400 * 1000000)

/* A run of a job id on all its nodes, as a report has it. */
struct listed_job {
	char *id, *user;	/* NULL, as the next three are: no mark names it */
	char *account, *partition, *name;
	int64_t first, last;	/* samples, microseconds */
	uint64_t samples;
	uint64_t nodes_asked;	/* of the job, by its marks; 0: not known */
	size_t nodes, begun, ended;	/* .begun of them have a begin mark, .ended an end mark */
	size_t unread;		/* hosts of whose files of that time some cannot be read */
	struct listed_file {
		size_t file;		/* as it was listed */
		uint64_t samples;	/* naming the id; UINT64_MAX: not known */
	} *file;		/* files with samples or marks of it */
	size_t n_files, cap_files;
	struct str row;		/* as run_row_put() made it; .p NULL: not known yet */
	bool fresh;		/* .row is this job's own: it was computed now */
	bool paged;		/* a page of it was made now */
	struct run_row is;	/* of .row */
	double order;		/* by a figure, the largest first */
};

/* A run in a file, and a file that cannot be read to its end. */
struct job_piece {
	size_t id, host, file;
	struct index_job j;	/* texts belong to the list */
	bool whole;		/* the index is of the whole file */
	size_t next;		/* of the same id, SIZE_MAX: none */
};
struct unread_file {
	size_t host;
	int64_t from, to;	/* microseconds: when its records may be of */
};

/* All zero is a valid empty one. */
struct job_list {
	struct listed_job *job;
	size_t n, cap;
	struct job_piece *piece;
	size_t n_pieces, cap_pieces;
	struct job_id {
		char *id;
		size_t first, last;	/* of its pieces */
	} *id;
	size_t n_ids, cap_ids;
	struct map by_id;
	struct unread_file *unread;
	size_t n_unread, cap_unread;
};

/*
 * Adds a job of a file of this host, counted from 1; the files come in order, those of a host
 * together. job_list_end() makes jobs of them when all are there: a run goes on in the next file of
 * its host, unless it ended or a week is between, and runs of several hosts are one job where
 * runs_choose() takes them for one.
 */
void job_list_add(struct job_list *l, size_t host, size_t file, bool whole,
		  const struct index_job *j);
void job_list_add_unread(struct job_list *l, const struct unread_file *file);
void job_list_end(struct job_list *l, const struct archive_file *file);
bool job_list_has(const struct job_list *l, struct str id);
void job_list_free(struct job_list *l);
void listed_job_free(struct listed_job *j);
bool listed_job_is_whole(const struct listed_job *j);	/* ended, and on all its nodes */
