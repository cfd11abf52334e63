/* SPDX-License-Identifier: BSD-3-Clause */
/* job_list.h - list the jobs of an archive: time, owner and nodes of each run */
#pragma once

#include <stdbool.h>
#include "archive/index.h"
#include "archive/input.h"
#include "base/map.h"
#include "report/jobs/run_row.h"

#define WEEK_US (INT64_C(7) * 86400 * 1000000)

/* A run of a job id on all its nodes, by the rules of a report. */
struct listed_job {
	/* .user and the next three members are NULL if no mark has the value */
	char *id, *user;
	char *account, *partition, *name;
	int64_t first, last;	/* times of the first and last sample, in microseconds */
	uint64_t samples;
	uint64_t nodes_asked;	/* number of nodes of the job, from its marks; 0 if unknown */
	/* numbers of nodes: with records, with a begin mark, and with an end mark */
	size_t nodes, begun, ended;
	size_t unread;		/* number of hosts with unreadable files from the time of the job */
	struct listed_file {
		size_t file;		/* index in the list of files */
		/* number of samples that name the id; UINT64_MAX if unknown */
		uint64_t samples;
	} *file;		/* files with samples or marks of the job */
	size_t n_files, cap_files;
	struct str row;		/* result of run_row_put(); .p is NULL if it is not known yet */
	bool fresh;		/* this program computed .row, and this job owns it */
	bool paged;		/* this program wrote a page for this run */
	struct run_row is;	/* parsed .row */
	double order;		/* sort key, in descending order */
};

/* A run within a single file. */
struct job_piece {
	size_t id, host, file;
	struct index_job j;	/* strings that the list owns */
	bool whole;		/* the index covers the whole file, with no unreadable part */
	size_t next;		/* next piece of the same id, SIZE_MAX if there is none */
};
struct unread_file {
	size_t host;
	int64_t from, to;	/* possible time range of the unreadable records, in microseconds */
};

/* List of jobs. All zero is a valid empty list. */
struct job_list {
	struct listed_job *job;
	size_t n, cap;
	struct job_piece *piece;
	size_t n_pieces, cap_pieces;
	struct job_id {
		char *id;
		size_t first, last;	/* first and last piece of the id */
	} *id;
	size_t n_ids, cap_ids;
	struct map by_id;
	struct unread_file *unread;
	size_t n_unread, cap_unread;
};

/*
 * Add a job from a host's file. Hosts are counted from 1; add files in order, host by host. Once
 * all are added, job_list_end() combines them into jobs. A run continues in the next file of its
 * host unless it has ended or the gap is a week. Runs on several hosts are one job by the rules of
 * runs_choose().
 */
void job_list_add(struct job_list *l, size_t host, size_t file, bool whole,
		  const struct index_job *j);
void job_list_add_unread(struct job_list *l, const struct unread_file *file);
void job_list_end(struct job_list *l, const struct archive_file *file, size_t n);
bool job_list_has(const struct job_list *l, struct str id);
void job_list_free(struct job_list *l);
void listed_job_free(struct listed_job *j);
/* Check whether the job has ended, and has records of all its nodes. */
bool listed_job_is_whole(const struct listed_job *j);
