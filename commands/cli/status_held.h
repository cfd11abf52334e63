/* SPDX-License-Identifier: BSD-3-Clause */
/* status_held.h - status --idle-gpus: list GPUs that jobs hold but do not use */
#pragma once

#include <stdint.h>
#include "base/buf.h"

enum { HELD_NONE, HELD_SOME, HELD_UNKNOWN = 3 };

/*
 * Append a line "JOB GPU SECONDS USED" for each GPU in the agent's reply that was idle for at least
 * least_us. Returns HELD_SOME or HELD_NONE; or, if no GPU is known to be idle and some are unknown,
 * HELD_UNKNOWN with the reason in why.
 */
int status_held(struct buf *out, struct buf *why, struct str reply, int64_t least_us);
