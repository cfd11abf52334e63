/* SPDX-License-Identifier: BSD-3-Clause */
/* job_slot.h - find the job that runs in the cgroup of an HTCondor slot */
#pragma once

#include "collectors/source.h"

/*
 * Get the job that runs in a slot, as "CLUSTER.PROC", the name that the hooks use. dir is the
 * slot's cgroup, such as "sys/fs/cgroup/..."; name is the last component of dir without "condor_".
 * Returns 0; -EAGAIN if the cgroup has no process yet; or -ENOENT if the job is unknown, with the
 * reason in *why.
 */
int job_of_slot(struct source *s, const char *dir, struct str name, char *to, size_t size,
		const char **why) MUST_CHECK;

/*
 * Get a job's "CLUSTER.PROC" from the text of the job's ClassAd (.job.ad). Returns false if the
 * text has no such ids.
 */
bool job_of_ad(struct str ad, char *to, size_t size);
