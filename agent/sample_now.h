/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_now.h - the agent's own sample, for who looks at the node right now */
#pragma once

#include "agent/control.h"
#include "recorder/live_tier.h"

struct newest_sample *newest_sample_new(void);
void newest_sample_free(struct newest_sample *s);

/*
 * Adds a sample of the types that are asked for, as text of a raw file: nodometer top shows it.
 * One in a second, whoever asks: 0, -EAGAIN: there was one of other types, -EINVAL: there is none
 * that this user may see, -ENODATA: not yet, -E2BIG: there is no room for it in a reply.
 */
int sample_now(struct newest_sample *s, struct recorder *r, const struct control_request *q,
	       struct buf *to) MUST_CHECK;
