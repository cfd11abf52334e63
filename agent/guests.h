/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.h - how often those connect who may only ask: nobody else waits for them */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guests *guests_new(void);	/* ended by free(3) */

/*
 * Whether a connection of a user who may only ask for the status, or for their own job's counters,
 * is let in: each has so many in a second, all of them together have so many.
 */
bool guests_admit(struct guests *g, uid_t uid);
/*
 * Counts a connection that was turned away. Many within a while cost nothing: CLOCK_MONOTONIC in us
 * until which nobody is to be let in, 0: others may come.
 */
uint64_t guests_turned_away(struct guests *g);
