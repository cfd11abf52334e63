/* SPDX-License-Identifier: BSD-3-Clause */
/* status_held.h - status --idle-gpus: GPUs that jobs have and do not use, for a site's script */
#pragma once

#include <stdint.h>
#include "base/buf.h"

enum { HELD_NONE, HELD_SOME, HELD_UNKNOWN = 3 };

/*
 * Lines "JOB GPU SECONDS USED" of GPUs that were idle for so long, of the agent's reply. HELD_SOME,
 * HELD_NONE, or HELD_UNKNOWN where of some GPU nothing is known and no other is idle; why says so.
 */
int status_held(struct buf *out, struct buf *why, struct str reply, int64_t least_us);
