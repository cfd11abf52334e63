/* SPDX-License-Identifier: BSD-3-Clause */
/* refusals.h - log requests that users are not allowed to make, at most once a minute per user */
#pragma once

#include <sys/types.h>
#include <systemd/sd-event.h>
#include "base/buf.h"

struct refusals *refusals_new(sd_event *event);
/* frees r, and logs the requests that were counted but not logged yet */
void refusals_free(struct refusals *r);

/*
 * Log the first refused request of a user in a minute. Count further ones, for one log message per
 * minute.
 */
void refusals_note(struct refusals *r, uid_t uid, const char *verb);
void refusals_put(const struct refusals *r, struct buf *b);	/* appends the lines for "status" */
