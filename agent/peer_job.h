/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_job.h - which job somebody at the control socket belongs to */
#pragma once

#include <sys/socket.h>
#include "recorder/recorder.h"

/*
 * The job of a process: by its control group; where no scheduler made one, the only job of the
 * node. 0, -ENOENT: it was not begun here, -ESRCH: cannot be known.
 */
int peer_job(struct recorder *r, const struct ucred *peer, char *to, size_t size) MUST_CHECK;
