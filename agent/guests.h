/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.h - limit the connections of unprivileged users ("guests") */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guests *guests_new(void);	/* release with free(3) */

/*
 * Return true if a connection of an unprivileged user is accepted. Such users may only ask for the
 * status, for samples, and for the counters of their own job. There are limits of connections per
 * second, for each user and for all together.
 */
bool guests_admit(struct guests *g, uid_t uid);
/*
 * Count a refused connection. Returns 0 or, after too many refused connections, the time (us,
 * CLOCK_MONOTONIC) until which all unprivileged users should be refused.
 */
uint64_t guests_turned_away(struct guests *g);
