/* SPDX-License-Identifier: BSD-3-Clause */
/* job_owners.h - decide which owners' directories and files may name the running job */
#pragma once

#include <sys/stat.h>
#include "collectors/source.h"

/*
 * Returns true if the file belongs to root or to a user of the setting scheduler-users
 * (s->shared->job_owners), and is not world-writable. Below a captured root, files of the owner of
 * that root are accepted, too.
 */
bool job_owner_is_known(const struct source *s, const struct stat *st);

/*
 * Check the owners of the directories of a path below the root. The first n bytes of the path are
 * the first directory to check. The last directory is not checked, because the owner of the
 * directory above controls its name. So a scheduler may give a job's own directory to the job
 * (htcondor: proc_family_direct_cgroup_v2.cpp, "Enable delegation").
 */
bool job_path_is_known(const struct source *s, const char *path, size_t n);

/* Returns true if the configuration lets users other than root own the directories of jobs. */
bool job_owners_any(const struct source *s);

/*
 * Open a directory. Returns a descriptor; -EACCES if job_owner_is_known() rejects its owner; or
 * another -errno.
 */
int job_open_known(const struct source *s, const char *path, struct stat *st) MUST_CHECK;
/*
 * Returns false if job_owner_is_known() rejects the owner of the directory. A missing directory is
 * accepted.
 */
bool job_may_enter(const struct source *s, const char *path);
