/* SPDX-License-Identifier: BSD-3-Clause */
/* connection_limits.h - limit the connections of unprivileged users */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct connection_limits *connection_limits_new(void);	/* release with free(3) */

/*
 * Return true if a connection of an unprivileged user is accepted. Such users may only ask for the
 * status, for samples, and for the counters of their own job. There are limits of connections per
 * second, for each user and for all together.
 */
bool connection_limits_admit(struct connection_limits *g, uid_t uid);
/*
 * Count a refused connection. Returns 0 or, after too many refused connections, the time (us,
 * CLOCK_MONOTONIC) until which all unprivileged users should be refused.
 */
uint64_t connection_limits_note_refusal(struct connection_limits *g);
