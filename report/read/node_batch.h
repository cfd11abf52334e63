/* SPDX-License-Identifier: BSD-3-Clause */
/* node_batch.h - search one node's records for many jobs in a single pass */
#pragma once

#include "base/map.h"
#include "figures/node.h"
#include "schema/node_clock.h"

struct node_batch_job {
	struct node_query ask;
	bool more;		/* a later file has records of this job, too */
	/*
	 * number of records in the current file that list the job and were not read yet; UINT64_MAX
	 * if unknown
	 */
	uint64_t due;
	/* value of .records of struct node_batch_jobs for the newest record that listed the job */
	uint64_t newest;
	size_t searches;	/* number of nodes on which a search for this job is in progress */
	/* the files must be read again for this job, because too many jobs were open at once */
	bool refused;
};

/*
 * The jobs to search for, shared by the batches of all nodes with records in a host's files. A
 * query without a job id has a single entry, which stands for all jobs.
 */
struct node_batch_jobs {
	struct node_batch_job *job;
	size_t n;
	struct map by_id;	/* index into .job by id, only for jobs in the current file */
	uint64_t records;
	/* .open: number of jobs with a search in progress; .most_open: its limit, 0: no limit */
	size_t open, most_open;
	/* jobs whose last record was read; the caller calls node_batch_finish() for each */
	size_t *over;
	size_t n_over, cap_over;	/* number and capacity of .over */
};
/* Tell the batches that the current file has records of the job. */
void node_batch_jobs_enter(struct node_batch_jobs *all, size_t job);
void node_batch_jobs_end(struct node_batch_jobs *all);

/*
 * Create the batch of a node. The search for a job starts with the first record that lists the
 * job. Borrows "all", copies the name.
 */
struct node_batch *node_batch_new(struct node_batch_jobs *all, const char *name);
const char *node_batch_name(const struct node_batch *b);
void node_batch_begin_file(struct node_batch *b);
void node_batch_take(struct node_batch *b, const struct record *r,
		     const struct record_source *source);
/*
 * End a file. Add its number of bad lines and, if torn is set, a note of its incomplete end to the
 * runs of each job in the file. Returns true if the file had any job.
 */
bool node_batch_end_file(struct node_batch *b, uint64_t bad_lines, bool torn);
/* Return true if no job of the batch is on the node at the moment. */
bool node_batch_is_away(const struct node_batch *b);
/* Return the runs of the job found so far, or NULL. */
const struct runs *node_batch_runs(const struct node_batch *b, size_t job);
/* End the job's open run, if any, and move all runs of the job to "runs". */
void node_batch_finish(struct node_batch *b, size_t job, struct runs *runs);
void node_batch_free(struct node_batch *b);	/* call node_batch_finish() for each job first */
