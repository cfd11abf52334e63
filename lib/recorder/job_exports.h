/* SPDX-License-Identifier: BSD-3-Clause */
/* job_exports.h - files that others' programs read: which job has which GPU, what jobs used */
#pragma once

#include "recorder/attributes.h"
#include "recorder/config.h"
#include "recorder/jobs.h"

/*
 * Nothing where the configuration names no folder. A failure to write is said, and costs the job
 * nothing. The attributes are those of its begin.
 */
void job_exports_begin(const struct config *c, const struct listener *listener, struct str id,
		       const struct attributes *known);
/*
 * Takes the job out of all files of GPUs, whoever wrote it there. summary is its line, which goes
 * to summary-dir with whose job it is.
 */
void job_exports_end(const struct config *c, const struct listener *listener,
		     const struct job *job, const char *host, struct str summary);
