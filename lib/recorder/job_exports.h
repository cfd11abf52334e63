/* SPDX-License-Identifier: BSD-3-Clause */
/* job_exports.h - write files for other programs: which job has which GPU, and summaries of jobs */
#pragma once

#include "recorder/attributes.h"
#include "recorder/config.h"
#include "recorder/jobs.h"

/*
 * Enter a job into the files of its GPUs. Does nothing if no folder is configured. A failure to
 * write is only reported. `known` has the attributes of the begin mark.
 */
void job_exports_begin(const struct config *c, const struct listener *listener, struct str id,
		       const struct attributes *known);
/*
 * Remove the job from all files of GPUs and append its summary, a line of
 * JSON, to summary-dir together with the job's user and account.
 */
void job_exports_end(const struct config *c, const struct listener *listener,
		     const struct job *job, const char *host, struct str summary);
