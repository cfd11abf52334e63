/* SPDX-License-Identifier: BSD-3-Clause */
/* status_reply.h - what the agent says of itself: lines "KEY VALUE", as text and as JSON */
#pragma once

#include "recorder/live_tier.h"

/* since_us is when the agent started. */
void status_put(struct buf *b, const struct recorder *r, const struct live_tier *l,
		int64_t since_us);
void status_put_refused(struct buf *b, struct str errors);	/* of a reload; none: nothing */
void status_put_left(struct buf *b, const struct config *c);	/* marks that hooks left */
void status_put_jobs(struct buf *b, const struct jobs *j);	/* files show them as well */
