/* SPDX-License-Identifier: BSD-3-Clause */
/* job_owners.h - whose directories and files say which job runs: not any user's */
#pragma once

#include <sys/stat.h>
#include "collectors/source.h"

/*
 * Root owns it, or a user of the configuration's scheduler-users (s->shared->job_owners), and not
 * everybody may write to it. Below a captured root, its owner is as good as root.
 */
bool job_owner_is_known(const struct source *s, const struct stat *st);

/*
 * The same for the directories of a path below the root from its first n bytes on, all but the last
 * one: what a directory is called says who owns the one above. So a scheduler may give a job's own
 * directory to the job (htcondor: proc_family_direct_cgroup_v2.cpp, "Enable delegation").
 */
bool job_path_is_known(const struct source *s, const char *path, size_t n);

/* Whether anybody but root may own such directories. */
bool job_owners_any(const struct source *s);

/* A descriptor of a directory in which such owners made all names so far; or -EACCES, or -errno. */
int job_open_known(const struct source *s, const char *path, struct stat *st) MUST_CHECK;
/* False: other users made a name on the way. A directory that is not there yet is no such name. */
bool job_may_enter(const struct source *s, const char *path);
