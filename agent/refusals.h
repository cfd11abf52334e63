/* SPDX-License-Identifier: BSD-3-Clause */
/* refusals.h - log requests that users are not allowed to make, at most once a minute per user */
#pragma once

#include <sys/types.h>
#include <systemd/sd-event.h>
#include "base/buf.h"

struct refusals *refusals_new(sd_event *event);
/* frees r, and logs how many refused requests were counted but not logged yet */
void refusals_free(struct refusals *r);

/*
 * Log the first refused request of a user in a minute. Count the user's further refused requests,
 * and log their number once a minute.
 */
void refusals_note(struct refusals *r, uid_t uid, const char *verb);
/* appends the lines about refused requests in the reply to "status" */
void refusals_put(const struct refusals *r, struct buf *b);
