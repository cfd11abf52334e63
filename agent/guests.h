/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.h - limit the connections of users without further rights */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guests *guests_new(void);	/* release with free(3) */

/*
 * Return true if a connection is accepted from a user who may only ask for the status, or for the
 * counters of the user's own job. There is a limit per second for each user and for all of them.
 */
bool guests_admit(struct guests *g, uid_t uid);
/*
 * Count a refused connection. Returns 0, or if there were too many, the time until which all guests
 * should be refused, in us of CLOCK_MONOTONIC.
 */
uint64_t guests_turned_away(struct guests *g);
