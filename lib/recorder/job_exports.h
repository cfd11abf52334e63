/* SPDX-License-Identifier: BSD-3-Clause */
/* job_exports.h - write files for other programs: which job has which GPU, and summaries of jobs */
#pragma once

#include "recorder/attributes.h"
#include "recorder/config.h"
#include "recorder/jobs.h"

/*
 * Write a job to the file of each of its GPUs, if the configuration sets a folder for these files.
 * Errors are only reported. `known` has the attributes of the begin mark.
 */
void job_exports_begin(const struct config *c, const struct listener *listener, struct str id,
		       const struct attributes *known);
/*
 * Remove the job from the files of all GPUs. Append a line of JSON with the job's summary, user and
 * account to the file HOST.jsonl in summary-dir. `summary` is the JSON object of job_summary_put().
 * Errors are only reported.
 */
void job_exports_end(const struct config *c, const struct listener *listener,
		     const struct job *job, const char *host, struct str summary);
