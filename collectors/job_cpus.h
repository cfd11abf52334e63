/* SPDX-License-Identifier: BSD-3-Clause */
/* job_cpus.h - count the CPUs that a job may use */
#pragma once

#include "collectors/job_last.h"

/*
 * Read the number of a job's CPUs once, and again at a rescan, because it seldom changes. A job
 * without a cpuset may use all CPUs that are online.
 */
void job_look_at_cpus(struct source *s, struct job_last *j);
