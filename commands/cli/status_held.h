/* SPDX-License-Identifier: BSD-3-Clause */
/* status_held.h - status --idle-gpus: list GPUs that jobs hold but do not use */
#pragma once

#include <stdint.h>
#include "base/buf.h"

enum { HELD_NONE, HELD_SOME, HELD_UNKNOWN = 3 };

/*
 * Append lines "JOB GPU SECONDS USED" for GPUs of the agent's reply that were idle for at least
 * least_us. Returns HELD_SOME if there are any; HELD_NONE; or HELD_UNKNOWN, with the reason in why,
 * if no GPU is known to be idle and the state of at least one GPU is unknown.
 */
int status_held(struct buf *out, struct buf *why, struct str reply, int64_t least_us);
