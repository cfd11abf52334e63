/* SPDX-License-Identifier: BSD-3-Clause */
/* job_summary.h - what this node did during a job, in one line, from the agent's own memory */
#pragma once

#include "figures/held.h"
#include "figures/since.h"
#include "recorder/jobs.h"
#include "schema/factors.h"
#include "schema/record.h"

#define SUMMARY_MAX         400		/* bytes of the line, its newline included */
#define SUMMARY_DEVICES_MAX 4096	/* of all types; of more, figures are left out */

/* The figures that have a name in the line, followed while jobs run. */
struct job_summaries {
	struct figures node, own;	/* of the node, of a job itself */
	struct figure *row;		/* of both */
	struct tally *tally;		/* of the node since the first of the jobs that run now */
	struct summary_type {
		const struct record_type *type;
		enum { OF_NONE, OF_NODE, OF_JOB } of;
	} *type;			/* types that samples had */
	size_t n_types;
	struct record_rows *rows;	/* of the newest sample, of the node's figures */
	size_t cap_rows;

	size_t n;
	struct summary_job {
		char *id;
		int64_t since_us;	/* 0: not known */
		bool fresh, ending;	/* the next sample is its first, its last */
		bool shared;		/* other jobs owned the node meanwhile */
		bool has_row;		/* of its own, in the newest sample */
		struct since since;
		struct tally *own;	/* of its own rows */
		struct held held;	/* GPUs that it has and does not use */
	} *job;
};

/* All zero is a valid empty one. */
void job_summary_free(struct job_summaries *s);

/* The next sample is the job's first, its last. A job whose begin was not seen has an end, too. */
void job_summary_begin(struct job_summaries *s, struct str id, int64_t since_us);
void job_summary_end(struct job_summaries *s, struct str id);
void job_summary_forget(struct job_summaries *s, struct str id);
/* These jobs own the node, as others wrote it down: what began elsewhere has no first sample. */
void job_summary_keep(struct job_summaries *s, const struct jobs *jobs);

/*
 * A sample was taken, at this time of CLOCK_BOOTTIME. Nothing is done where no job runs. Types are
 * known by their place: those of all samples are of one source. jobs say which GPUs each one has.
 */
void job_summary_take(struct job_summaries *s, const struct jobs *jobs,
		      const struct record *sample, int64_t now_ns);
/*
 * Lines "held JOB GPU SINCE USED SAMPLE" of GPUs that are idle or unknown: times. SINCE is "-" if
 * the newest sample lacks the GPU, USED if no sample had a process of the job on it.
 */
void job_summary_put_held(const struct job_summaries *s, struct buf *b);

/*
 * An object of JSON without newline, less than SUMMARY_MAX bytes, of what is known of the job after
 * its last sample; end_us is that sample's time. "complete" is false where a figure of this
 * node is left out, or lacks a part of the job: then "partial" names it. Costs of energy are
 * there where a factor is set and the job had the node alone.
 */
void job_summary_put(const struct job_summaries *s, struct str id, const char *host, int64_t end_us,
		     const struct factors *f, struct buf *b);
