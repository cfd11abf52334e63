/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_job.h - find the job that a peer of the control socket belongs to */
#pragma once

#include <sys/socket.h>
#include "recorder/recorder.h"

/*
 * Find the job of the process `peer` by the process's cgroup, and store the job's id in `to`. If
 * the process is in no job's cgroup, take the node's only job, unless that job has a cgroup.
 * Returns 0; -ENOENT if no begin of the job was recorded on this node (`to` has the id
 * nevertheless); -ESRCH if no job is found.
 */
int peer_job(struct recorder *r, const struct ucred *peer, char *to, size_t size) MUST_CHECK;
