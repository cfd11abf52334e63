/* SPDX-License-Identifier: BSD-3-Clause */
/* job_owners.h - check the owners of directories and files that name jobs */
#pragma once

#include <sys/stat.h>
#include "collectors/source.h"

/*
 * Returns true if a file with this status belongs to root or to a user in the setting
 * scheduler-users (s->shared->job_owners), and is not world-writable. Below a captured root, files
 * of the owner of that root are accepted, too.
 */
bool job_owner_is_known(const struct source *s, const struct stat *st);

/*
 * Check the owners of the directories above a path, beginning with the directory that the first n
 * bytes of path name. Returns false if a directory is rejected or cannot be opened. The directory
 * `path` itself is not checked, because it may belong to the job's user: the owner of the parent
 * directory controls its name (htcondor: proc_family_direct_cgroup_v2.cpp, "Enable delegation").
 */
bool job_path_is_known(const struct source *s, const char *path, size_t n);

/* Returns true if users other than root may own the directories of jobs (scheduler-users). */
bool job_owners_any(const struct source *s);

/*
 * Open a directory. Returns a descriptor; -EACCES if job_owner_is_known() rejects its owner; or
 * another -errno.
 */
int job_open_known(const struct source *s, const char *path, struct stat *st) MUST_CHECK;
/*
 * Returns true if the directory may be searched for jobs: the directory is missing, or
 * job_owner_is_known() accepts it.
 */
bool job_may_enter(const struct source *s, const char *path);
