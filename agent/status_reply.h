/* SPDX-License-Identifier: BSD-3-Clause */
/* status_reply.h - write the agent's reply to "status": lines "KEY VALUE" */
#pragma once

#include "recorder/live_tier.h"

/* Append the agent's state. since_us is the start time of the agent. */
void status_put(struct buf *b, const struct recorder *r, const struct live_tier *l,
		int64_t since_us);
/* Append the errors of the last reload of the configuration, if any. */
void status_put_refused(struct buf *b, struct str errors);
/* append the number of marks that wait in the spool */
void status_put_left(struct buf *b, const struct config *c);
/* Append the jobs on the node. Also used without an agent. */
void status_put_jobs(struct buf *b, const struct jobs *j);
