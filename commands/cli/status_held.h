/* SPDX-License-Identifier: BSD-3-Clause */
/* status_held.h - status --idle-gpus: list GPUs that are allocated to jobs but idle */
#pragma once

#include <stdint.h>
#include "base/buf.h"

enum { HELD_NONE, HELD_SOME, HELD_UNKNOWN = 3 };

/*
 * Append a line "JOB GPU SECONDS USED" for each GPU in the agent's reply that was idle for at least
 * least_us microseconds. Returns HELD_SOME if there is a line, else HELD_UNKNOWN if it is unknown
 * how long a GPU was idle, with the reason in why, else HELD_NONE.
 */
int status_held(struct buf *out, struct buf *why, struct str reply, int64_t least_us);
