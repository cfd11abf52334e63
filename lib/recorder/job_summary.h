/* SPDX-License-Identifier: BSD-3-Clause */
/* job_summary.h - summarize a job on this node in one line, from the agent's memory */
#pragma once

#include "figures/held.h"
#include "figures/since.h"
#include "recorder/jobs.h"
#include "schema/factors.h"
#include "schema/record.h"

#define SUMMARY_MAX         400		/* limit of the line, bytes with the newline */
/* limit of devices of all types; figures of further devices are left out */
#define SUMMARY_DEVICES_MAX 4096

/* The figures that appear in summaries, tracked while jobs run. */
struct job_summaries {
	/* figures of the node, and of a job's own rows */
	struct figures node_figures, job_figures;
	struct figure *row;		/* the rows of both tables */
	/* counts of the node since the first of the running jobs began */
	struct tally *tally;
	struct summary_type {
		const struct record_type *type;
		enum { USED_BY_NONE, USED_BY_NODE, USED_BY_JOB } used_by;
	} *type;			/* types that occurred in samples */
	size_t n_types;
	struct record_rows *rows;	/* rows of the newest sample for the node's figures */
	size_t cap_rows;

	size_t n;
	struct summary_job {
		char *id;
		int64_t since_us;	/* begin of the job, 0: unknown */
		bool fresh, ending;	/* the next sample is the job's first, or its last */
		bool shared;		/* other jobs were on the node at the same time */
		bool has_row;		/* the newest sample has a row of this job */
		struct since since;
		struct tally *tally;	/* counts of the job's own rows */
		struct held held;	/* GPUs that are allocated to the job but idle */
	} *job;
};

/* Free all memory. Initialize with zeros. */
void job_summary_free(struct job_summaries *s);

/* Begin or end a job with the next sample. A job may end here even if its begin was not seen. */
void job_summary_begin(struct job_summaries *s, struct str id, int64_t since_us);
void job_summary_end(struct job_summaries *s, struct str id);
void job_summary_forget(struct job_summaries *s, struct str id);
/*
 * Follow exactly these jobs, as loaded from the state file. A job that another process began has no
 * first sample here.
 */
void job_summary_keep(struct job_summaries *s, const struct jobs *jobs);

/*
 * Forget the addresses of the samples' types. Call this before the memory of the types is freed,
 * since other types may get the same addresses. Counts are kept.
 */
void job_summary_forget_types(struct job_summaries *s);

/*
 * Update all summaries with a sample taken at now_ns of CLOCK_BOOTTIME. Does nothing if no job
 * runs. Types are compared by address; see job_summary_forget_types(). `jobs` has the GPUs of each
 * job.
 */
void job_summary_take(struct job_summaries *s, const struct jobs *jobs,
		      const struct record *sample, int64_t now_ns);
/*
 * Append a line "held JOB GPU SINCE USED SAMPLE" with times for each GPU that is idle or unknown.
 * SINCE is "-" if the newest sample lacks the GPU, USED is "-" if no sample had a process of the
 * job on it.
 */
void job_summary_put_held(const struct job_summaries *s, struct buf *b);

/*
 * Append a JSON object without newline, shorter than SUMMARY_MAX bytes, with everything known about
 * the job after its last sample at end_us. "complete" is false if a figure of this node is left out
 * or covers only part of the job; in the latter case "partial" names the figure. Energy costs are
 * included if the site sets a factor and the job had the node alone.
 */
void job_summary_put(const struct job_summaries *s, struct str id, const char *host, int64_t end_us,
		     const struct factors *f, struct buf *b);
