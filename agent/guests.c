/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.c - limit the connections of unprivileged users ("guests") */
#include "agent/guests.h"

#include <string.h>
#include "base/clock.h"
#include "base/vec.h"

#define GUEST_USERS   64

/*
 * Limits of connections per second. One user can have 65,536 UIDs in a user namespace, so there is
 * also a limit for all unprivileged users together.
 */
#define RATE_UID_MAX 50		/* for each UID */
#define RATE_MAX     400	/* for all UIDs together */

/*
 * If FLOOD_REFUSALS connections are refused within FLOOD_PERIOD_US, refuse all unprivileged users
 * until the period ends.
 */
#define FLOOD_REFUSALS  1000
#define FLOOD_PERIOD_US 100000

struct guests {
	/* start of the second in which connections are counted, CLOCK_MONOTONIC */
	int64_t second_ns;
	size_t n;
	struct guest {
		uid_t uid;
		unsigned n_connections;
	} user[GUEST_USERS];
	unsigned n_connections;
	/* start of the period in which refused connections are counted, CLOCK_MONOTONIC */
	uint64_t period_us;
	unsigned n_refused;
};

struct guests *guests_new(void)
{
	struct guests *g = xrealloc(NULL, sizeof(*g));
	memset(g, 0, sizeof(*g));
	return g;
}

/* Return the counter of a user. If the table is full, further users share the last one. */
static unsigned *guests_count_of(struct guests *g, uid_t uid)
{
	size_t i = 0;
	while (i < g->n && g->user[i].uid != uid)
		i++;
	if (i == GUEST_USERS)
		return &g->user[i - 1].n_connections;
	if (i == g->n)
		g->user[g->n++] = (struct guest){ .uid = uid };
	return &g->user[i].n_connections;
}

bool guests_admit(struct guests *g, uid_t uid)
{
	int64_t now = monotonic_ns();
	if (now - g->second_ns >= 1000000000) {
		g->second_ns = now;
		g->n = g->n_connections = 0;
	}
	return ++*guests_count_of(g, uid) <= RATE_UID_MAX && ++g->n_connections <= RATE_MAX;
}

uint64_t guests_turned_away(struct guests *g)
{
	uint64_t now = (uint64_t)monotonic_ns() / 1000;
	if (now - g->period_us >= FLOOD_PERIOD_US) {
		g->period_us = now;
		g->n_refused = 0;
	}
	return ++g->n_refused < FLOOD_REFUSALS ? 0 : g->period_us + FLOOD_PERIOD_US;
}
