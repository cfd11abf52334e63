/* SPDX-License-Identifier: BSD-3-Clause */
/* job_names.h - get the names of jobs from the names of directories */
#pragma once

#include "collectors/source.h"

/*
 * Match a name with a pattern in which "*" and "{job}" stand for any text. *job becomes the text
 * that the last wildcard stands for; it is unchanged if the pattern has no wildcard.
 */
bool job_name_matches(struct str pattern, struct str name, struct str *job);

/*
 * Read a file like source_read(), but close it afterwards. Returns false if the file cannot be
 * read.
 */
bool job_read_once(struct source *s, const char *path, struct str *ret);

/*
 * Returns true for the name of a job's directory since Slurm 26.05: 's' and thirteen characters of
 * Crockford's base 32.
 */
bool job_is_sluid(struct str name);

/*
 * Get the id of the job with this SLUID, or the SLUID if the job's processes do not show the id.
 * dir is the job's directory. Returns false if the job has no process yet.
 */
bool job_of_sluid(struct source *s, const char *dir, struct str sluid, char *to, size_t size);
