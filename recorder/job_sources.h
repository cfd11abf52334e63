/* SPDX-License-Identifier: BSD-3-Clause */
/* job_sources.h - jobs begin and end by the job file and by control groups, without a hook */
#pragma once

#include "recorder/recorder.h"

/*
 * Reads the job file and writes what changed: a new id ends the one before, "-" or nothing ends
 * it. 1: a group was written, 0: nothing changed, no sample was taken; -ETIMEDOUT: another process
 * changes the jobs for long, to be tried again; or another -errno.
 */
int recorder_job_file(struct recorder *r) MUST_CHECK;

struct job_group {
	char id[JOB_ID_MAX + 1];
	bool is_new;		/* since the last time */
	bool slot;		/* agent/cgroups.c: its directory bears a slot's name */
	int64_t gone_ns;	/* the same: since when it may be gone, 0: it is there */
	int64_t gone_us;	/* since when it is gone, 0: it is there */
};
/* Whether it is there. */
bool job_group_among(const struct job_group *g, size_t n, const char *id);

/*
 * The jobs that have a control group now, all of them. One that is new and that no hook began
 * begins; one without its group ends: if it began by it at once, with the time when that went where
 * that is known, and after ten minutes if a hook began it and never said its end. 1: a group was
 * written, 0: nothing changed; -ETIMEDOUT as above, then what was new is new the next time; or
 * another -errno.
 */
int recorder_groups(struct recorder *r, const struct job_group *g, size_t n) MUST_CHECK;
