/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_job.h - find the job that a peer of the control socket belongs to */
#pragma once

#include <sys/socket.h>
#include "recorder/recorder.h"

/*
 * Find the job of a process by its cgroup or, if no scheduler on this node makes cgroups, take the
 * node's only job. Returns 0; -ENOENT if the job was not begun here; -ESRCH if there is no such
 * job.
 */
int peer_job(struct recorder *r, const struct ucred *peer, char *to, size_t size) MUST_CHECK;
