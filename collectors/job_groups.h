/* SPDX-License-Identifier: BSD-3-Clause */
/* job_groups.h - tell if a socket belongs to a job, by the job's cgroups */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/system/sockets.h"

struct job_groups;

/* Find the cgroup of a job on this node. Returns 0, or -ENOENT if there is none. */
int job_groups_open(struct job_groups **ret, const char *job) MUST_CHECK;

/* Return the kernel's id of the job's cgroup v2 (Linux 5.5), or 0. */
uint64_t job_groups_number(const struct job_groups *g);

/*
 * Return the capabilities that job_groups_look() uses if the process is root. job_groups_look()
 * drops them again before it returns.
 */
uint64_t job_groups_needs(const struct job_groups *g);
void job_groups_look(struct job_groups *g);

/*
 * Returns true if the socket belongs to the job. v2: the socket was created in a cgroup that the
 * job had at the last job_groups_look(). v1: a process of the job had the socket open at the last
 * job_groups_look().
 */
bool job_groups_has(const struct job_groups *g, const struct socket_seen *s);
void job_groups_free(struct job_groups *g);
