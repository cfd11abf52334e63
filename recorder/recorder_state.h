/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_state.h - what a recorder holds from one record to the next */
#pragma once

#include "archive/archiver.h"
#include "archive/host.h"
#include "recorder/config.h"
#include "recorder/jobs.h"
#include "recorder/live.h"
#include "recorder/request.h"
#include "recorder/sampler.h"
#include "recorder/spool.h"
#include "recorder/job_summary.h"

struct recorder {
	const struct config *config;
	const struct listener *listener;	/* hears what goes wrong, or NULL */
	struct host host;
	struct sampler sampler;
	struct archiver out;
	struct jobs jobs;
	char jobs_path[CONFIG_TEXT_MAX + 8];
	struct {
		ino_t inode;
		int64_t size, changed_ns;
	} jobs_file;		/* as it was loaded or saved last */
	struct spool spool;
	bool marks_only;	/* there is no time for a sample */

	struct recorder_live {		/* see recorder_sample_live() */
		struct archiver out;
		struct buf dir, group;
		int64_t last_us;	/* of the newest that was written, and */
		int error;		/* why a later one was not, or 0 */
	} between;

	struct live live;		/* the newest sample, while anybody wants it */
	struct job_summaries summary;	/* of the jobs that run */
	struct buf ended;	/* that of the job that recorder_end() was asked for last */

	struct buf schema, below, group, marks, ids;
	bool entered;		/* the jobs are locked by recorder_enter() */
	bool waited;		/* they were locked by others the last time, for long */
	bool sampled, new_schema;	/* a sample was taken for the next group */
	int64_t sampled_us;
	uint64_t samples;	/* groups so far */
	uint64_t ended_later;	/* jobs that ended by the begin of a later one */
	uint64_t missed;	/* ticks missed since the last group */
	uint64_t missed_total;
	int64_t last_us;	/* TIME of the last group */
	int last_error;		/* for who says an error once */
};
