/* SPDX-License-Identifier: BSD-3-Clause */
/* job_names.h - from names of directories to names of jobs */
#pragma once

#include "collectors/source.h"

/*
 * Whether a name fits a pattern in which "*" is any text and "{job}" too, which then is *job if it
 * is the pattern's last wildcard. Takes no longer than the two are long.
 */
bool job_name_matches(struct str pattern, struct str name, struct str *job);

/* A file that is not kept open; false if it cannot be read. */
bool job_read_once(struct source *s, const char *path, struct str *ret);

/* 's' and thirteen characters of Crockford's base 32: a job of Slurm 26.05 or later. */
bool job_is_sluid(struct str name);

/*
 * The id of the job that has this SLUID, or the SLUID itself where its processes do not show it.
 * False if it has none yet.
 */
bool job_of_sluid(struct source *s, const char *dir, struct str sluid, char *to, size_t size);
