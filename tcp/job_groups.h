/* SPDX-License-Identifier: BSD-3-Clause */
/* job_groups.h - whether a socket is of a job, by the control groups of the job */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/system/sockets.h"

struct job_groups;

/* 0, or -ENOENT: this node has no control group of the job. */
int job_groups_open(struct job_groups **ret, const char *job) MUST_CHECK;

/* The kernel's number of the job's group of version 2 (5.5), or 0. */
uint64_t job_groups_number(const struct job_groups *g);

/* Capabilities of root that the look takes, which are in force then alone. */
uint64_t job_groups_needs(const struct job_groups *g);
void job_groups_look(struct job_groups *g);

/*
 * With control groups of version 2 the kernel says in which one a socket was made; with version 1
 * a socket is the job's if a process of the job had it at the last look.
 */
bool job_groups_has(const struct job_groups *g, const struct socket_seen *s);
void job_groups_free(struct job_groups *g);
