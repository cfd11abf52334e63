/* SPDX-License-Identifier: BSD-3-Clause */
/* job_cpus.h - count the CPUs that a job may use */
#pragma once

#include "collectors/job_last.h"

/*
 * Set j->cpus to the number of CPUs that the job may use, once and at each rescan. A job without a
 * cpuset may use all online CPUs.
 */
void job_look_at_cpus(struct source *s, struct job_last *j);
