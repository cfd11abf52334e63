/* SPDX-License-Identifier: BSD-3-Clause */
/* job_names.h - get the names of jobs from the names of directories */
#pragma once

#include "collectors/source.h"

/*
 * Match a name with a pattern in which "*" and "{job}" stand for any text. If "{job}" is the last
 * wildcard, *job becomes the text that "{job}" stands for. Takes linear time.
 */
bool job_name_matches(struct str pattern, struct str name, struct str *job);

/* Read a file without keeping it open. Returns false if the file cannot be read. */
bool job_read_once(struct source *s, const char *path, struct str *ret);

/*
 * Returns true if the name is 's' followed by thirteen characters of Crockford's base 32: the name
 * of a job's directory since Slurm 26.05.
 */
bool job_is_sluid(struct str name);

/*
 * Get the id of the job with this SLUID, or the SLUID itself if its processes do not show the id.
 * Returns false if the job has no process yet.
 */
bool job_of_sluid(struct source *s, const char *dir, struct str sluid, char *to, size_t size);
