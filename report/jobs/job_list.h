/* SPDX-License-Identifier: BSD-3-Clause */
/* job_list.h - list the jobs of an archive: time, owner and nodes of each run */
#pragma once

#include <stdbool.h>
#include "archive/index.h"
#include "archive/input.h"
#include "base/words.h"
#include "figures/findings/ended.h"
#include "report/jobs/run_row.h"

#define WEEK_US (INT64_C(7) * 86400 * 1000000)

/* A run of a job id on all its nodes, by the rules of a report. */
struct listed_job {
	/* texts of the list; .user and the next three members are NULL if no mark has the value */
	const char *id, *user;
	const char *account, *partition, *name;
	struct job_end end;	/* of the node where it ended worst, from its marks */
	bool open;		/* the newest record of a node still names the job */
	int64_t first, last;	/* times of the first and last sample, in microseconds */
	uint64_t samples;
	uint64_t nodes_asked;	/* number of nodes of the job, from its marks; 0 if unknown */
	/* numbers of nodes: with records, with a begin mark, and with an end mark */
	uint32_t nodes, begun, ended;
	uint32_t unread;	/* number of hosts with unreadable files from the time of the job */
	const struct listed_file *file;	/* files with samples or marks of the job */
	uint32_t n_files;
	bool fresh;		/* this program computed the row */
	bool paged;		/* this program wrote a page for this run */
	size_t row;		/* index of the row in struct kept; ROW_NONE if it is unknown */
	const struct run_row *is;	/* the row, in copies by listing_job(); else NULL */
	double order;		/* sort key, in descending order */
};
#define ROW_NONE SIZE_MAX

struct listed_file {
	size_t file;		/* index in the list of files */
	uint64_t samples;	/* number of samples that name the id; UINT64_MAX if unknown */
};

/* A run within a single file. There may be millions, so numbers have 32 bits where they can. */
struct job_piece {
	int64_t first, last, left;	/* as in struct index_job */
	uint64_t samples, nodes;
	uint32_t user, account, partition, name, exit, state;	/* numbers of words */
	uint32_t host, file;
	uint32_t next;		/* next piece of the same id, UINT32_MAX if there is none */
	bool begun, ended;
	bool whole;		/* the index covers the whole file, with no unreadable part */
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
	struct words names;	/* users, accounts, partitions, names, exits and states */
	struct job_id {
		const char *id;
		uint32_t first, last;	/* first and last piece of the id */
	} *id;
	size_t n_ids, cap_ids;
	struct map by_id;
	struct id_block *ids;	/* texts of the ids */
	struct listed_file *files;	/* files of all jobs */
	size_t n_files, cap_files;
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
/* Free the memory that only job_list_has() needs. */
void job_list_close(struct job_list *l);
void job_list_free(struct job_list *l);
/* Return a text that lives as long as the list, NULL if the text is empty. */
const char *job_list_text(struct job_list *l, struct str text);
/* Check whether the job has ended, and has records of all its nodes. */
bool listed_job_is_whole(const struct listed_job *j);
