/* SPDX-License-Identifier: BSD-3-Clause */
/* job_groups.h - the control groups of a job, by which the kernel says whose a socket is */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"

struct job_groups;

/* Finds the job; 0, -ENOENT: no control group of version 2 of this job. */
int job_groups_open(struct job_groups **ret, const char *job) MUST_CHECK;
void job_groups_look(struct job_groups *j);	/* which there are now */
bool job_groups_has(const struct job_groups *j, uint64_t cgroup);
void job_groups_free(struct job_groups *j);	/* NULL is fine */
