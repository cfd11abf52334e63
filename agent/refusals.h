/* SPDX-License-Identifier: BSD-3-Clause */
/* refusals.h - requests of users who may not: each user is logged at most once in a minute */
#pragma once

#include <sys/types.h>
#include <systemd/sd-event.h>
#include "base/buf.h"

struct refusals *refusals_new(sd_event *event);
void refusals_free(struct refusals *r);		/* logs the counted ones */

/* A request was refused: logged for a user who had none, else counted and said once in a minute. */
void refusals_note(struct refusals *r, uid_t uid, const char *verb);
void refusals_put(const struct refusals *r, struct buf *b);	/* for status */
