/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_job.h - find the job that a peer of the control socket belongs to */
#pragma once

#include <sys/socket.h>
#include "recorder/recorder.h"

/*
 * Find the job of the process `peer` by its cgroup, and store the job's id in `to`. If the process
 * is in no job's cgroup, and the node has a single job without a cgroup, use this job. Returns 0;
 * -ENOENT if the job was found, but its begin was not recorded on this node (`to` has the id
 * nevertheless); or -ESRCH if no job is found.
 */
int peer_job(struct recorder *r, const struct ucred *peer, char *to, size_t size) MUST_CHECK;
