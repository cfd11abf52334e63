/* SPDX-License-Identifier: BSD-3-Clause */
/* job_sample.h - a sample of a job, for who looks at each of them */
#pragma once

#include "figures/tally.h"

/* A sample that is the job's, in the node's tally already. */
struct job_sample {
	const struct record *record;
	struct tally *tally;
	unsigned what;		/* JOB_OPEN and so on, figures/job.h */
	bool begun;		/* the run has a begin mark */
	bool booted;		/* since the sample before */
};
