/* SPDX-License-Identifier: BSD-3-Clause */
/* connection_limits.h - limit the connections of unprivileged users */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct connection_limits *connection_limits_new(void);	/* release with free(3) */

/*
 * Count a connection of an unprivileged user, and return true if it is accepted. The connections
 * per second are limited for each user and for all such users together. Such users may only ask for
 * the status, for samples, and for the counters of their own job.
 */
bool connection_limits_admit(struct connection_limits *g, uid_t uid);
/*
 * Count a refused connection. If too many were refused, returns the time until which to refuse all
 * unprivileged users, in microseconds of CLOCK_MONOTONIC; otherwise 0.
 */
uint64_t connection_limits_note_refusal(struct connection_limits *g);
