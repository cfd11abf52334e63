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

/*
 * A run: one use of a job id, on all nodes of the job. An id that was used again has several runs;
 * job_list_add() explains how they are distinguished.
 */
struct listed_job {
	/*
	 * texts owned by the list; .user, .account, .partition and .name are NULL if no mark has
	 * them
	 */
	const char *id, *user;
	const char *account, *partition, *name;
	struct job_end end;	/* the worst end on any node, from the marks */
	bool open;		/* the newest record of at least one node still lists the job */
	int64_t first, last;	/* times of the first and last sample, in microseconds */
	uint64_t samples;
	/* number of nodes that the scheduler allocated, from the marks; 0 if unknown */
	uint64_t nodes_allocated;
	/* number of nodes with records, with a begin mark, and with an end mark */
	uint32_t nodes, begun, ended;
	/* number of hosts with unreadable records that may be of this run; 0 if none is missing */
	uint32_t unread;
	const struct listed_file *file;	/* files with samples or marks of the job */
	uint32_t n_files;
	bool fresh;		/* this process computed the run's row (run_row.h) */
	bool paged;		/* this process wrote a page of nodometer site for the run */
	/* index of the run's row in struct run_store; ROW_NONE if the run has no row yet */
	size_t row;
	const struct run_row *is;	/* the run's row; only set in copies from listing_job() */
	double order;		/* sort key; larger keys come first */
};
#define ROW_NONE SIZE_MAX

struct listed_file {
	size_t file;		/* index in the list of the archive's files */
	uint64_t samples;	/* number of samples that list the id; UINT64_MAX if unknown */
};

/*
 * A piece: the part of a run that is in one file. There may be millions of pieces, so numbers have
 * 32 bits if possible.
 */
struct job_piece {
	/*
	 * times of the first and last sample, and of the first later record that does not list the
	 * job, in microseconds; see struct index_job
	 */
	int64_t first, last, left;
	uint64_t samples, nodes;
	uint32_t user, account, partition, name, exit, state;	/* indexes in .names of the list */
	uint32_t host, file;
	uint32_t next;		/* next piece of the same id, UINT32_MAX if there is none */
	bool begun, ended;
	bool whole;		/* all records of the file were readable */
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
	struct id_block *ids;	/* memory blocks that hold the texts of the ids */
	struct listed_file *files;	/* files of each job; jobs point into this array */
	size_t n_files, cap_files;
	struct unread_file *unread;
	size_t n_unread, cap_unread;
};

/*
 * Add a piece of a job from a host's file. Number hosts from 1, and add the files in order of time,
 * host by host. At the end, job_list_end() combines the pieces into jobs. A piece starts a new run
 * of the id on a host if a week lies between the previous run and the piece, or if the piece has a
 * begin mark and the previous run has a begin or an end mark. Runs on several hosts become one job
 * by the rules of runs_choose().
 */
void job_list_add(struct job_list *l, size_t host, size_t file, bool whole,
		  const struct index_job *j);
void job_list_add_unread(struct job_list *l, const struct unread_file *file);
void job_list_end(struct job_list *l, const struct archive_file *file, size_t n);
bool job_list_has(const struct job_list *l, struct str id);
/* Free the memory that only job_list_add() and job_list_has() need. */
void job_list_close(struct job_list *l);
void job_list_free(struct job_list *l);
/*
 * Copy a text into the list. Returns the copy, which lives as long as the list, or NULL if the text
 * is empty.
 */
const char *job_list_text(struct job_list *l, struct str text);
/* Return whether the job has ended on all its nodes, and all these nodes have records. */
bool listed_job_is_whole(const struct listed_job *j);
