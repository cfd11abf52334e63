/* SPDX-License-Identifier: BSD-3-Clause */
/* job_slot.h - the job of HTCondor that runs in the control group of a slot */
#pragma once

#include "collectors/source.h"

/*
 * dir is the group, "sys/fs/cgroup/..." below the root, and name its last part without "condor_".
 * 0: *to is the job, "CLUSTER.PROC", as the hooks have it; -EAGAIN: there is no process in it yet;
 * -ENOENT: nothing shows it, and *why is a sentence that says what was missing.
 */
int job_of_slot(struct source *s, const char *dir, struct str name, char *to, size_t size,
		const char **why) MUST_CHECK;

/* The same from the text of a job's ClassAd, ".job.ad": false if it names no job. */
bool job_of_ad(struct str ad, char *to, size_t size);
