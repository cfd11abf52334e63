/* SPDX-License-Identifier: BSD-3-Clause */
/* job_summary.h - summarize each job on this node in a line of JSON */
#pragma once

#include "figures/held.h"
#include "figures/since.h"
#include "recorder/jobs.h"
#include "schema/factors.h"
#include "schema/record.h"

#define SUMMARY_MAX         400		/* limit of a summary in bytes, including the newline */
/* limit of devices, all types together; the figures of further devices are left out */
#define SUMMARY_DEVICES_MAX 4096

/* The figures in summaries, and their sums for the running jobs. */
struct job_summaries {
	/*
	 * figures that are computed from rows about the whole node, and from rows about a single
	 * job
	 */
	struct figures node_figures, job_figures;
	struct figure *row;		/* memory for the rows of .node_figures and .job_figures */
	/* sums for .node_figures since the first sample with a job; freed when no job is left */
	struct tally *tally;
	struct summary_type {
		const struct record_type *type;
		enum { USED_BY_NONE, USED_BY_NODE, USED_BY_JOB } used_by;
	} *type;			/* types that occurred in samples */
	size_t n_types;
	struct record_rows *rows;	/* rows of the newest sample that .node_figures use */
	size_t cap_rows;

	size_t n;
	struct summary_job {
		char *id;
		int64_t since_us;	/* begin of the job, 0: unknown */
		bool fresh, ending;	/* the next sample is the job's first, or its last */
		bool shared;		/* other jobs were on the node at the same time */
		bool has_row;		/* the newest sample has a row of this job */
		struct since since;	/* growth of .node_figures since the job began */
		struct tally *tally;	/* sums for .job_figures, from the job's rows */
		struct held held;	/* how long each GPU allocated to the job was idle */
	} *job;
};

/* Free all memory. Initialize with zeros. */
void job_summary_free(struct job_summaries *s);

/*
 * Begin or end the summary of a job with the next sample. job_summary_end() may be called for a job
 * without job_summary_begin(), too.
 */
void job_summary_begin(struct job_summaries *s, struct str id, int64_t since_us);
void job_summary_end(struct job_summaries *s, struct str id);
void job_summary_forget(struct job_summaries *s, struct str id);
/*
 * Keep only the summaries of the jobs in `jobs`, and begin a summary for each of them that has
 * none. The summary of a job that another process began has no figures of the node, because this
 * process has not taken the job's first sample. A job with another .since_us than before is a new
 * job.
 */
void job_summary_keep(struct job_summaries *s, const struct jobs *jobs);

/*
 * Forget the record types of earlier samples, but keep the sums. Call this before the record types
 * are freed, because summaries compare them by address.
 */
void job_summary_forget_types(struct job_summaries *s);

/*
 * Add a sample taken at now_ns (CLOCK_BOOTTIME) to all summaries. `jobs` has the GPUs of each job.
 * Before the record types of the sample are freed, call job_summary_forget_types().
 */
void job_summary_take(struct job_summaries *s, const struct jobs *jobs,
		      const struct record *sample, int64_t now_ns);
/*
 * Append a line "held JOB GPU SINCE USED SAMPLE" for each allocated GPU that is idle or whose state
 * is unknown. The last three are times of samples. SINCE is the first sample of the idle interval;
 * "-" if the newest sample lacks the GPU. USED is the last sample with a process of the job on the
 * GPU; "-" if there was none. SAMPLE is the newest sample.
 */
void job_summary_put_held(const struct job_summaries *s, struct buf *b);

/*
 * Append the summary of a job as a JSON object of less than SUMMARY_MAX bytes, without newline. The
 * job's last sample was taken at end_us; 0: unknown. A job without summary gets an object without
 * figures. "complete" is false if a figure is left out or covers only part of the job; "partial"
 * lists the figures that cover only a part. Costs of energy are included if `f` has the factors of
 * a site and the job had the node alone.
 */
void job_summary_put(const struct job_summaries *s, struct str id, const char *host, int64_t end_us,
		     const struct factors *f, struct buf *b);
