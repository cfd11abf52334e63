/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.c - limit the connections of unprivileged users ("guests") */
#include "agent/guests.h"

#include <string.h>
#include "base/clock.h"
#include "base/vec.h"

#define GUEST_USERS   64

/*
 * Connections per second. One user can have 65,536 UIDs in a user namespace, so all unprivileged
 * users together have a limit as well.
 */
#define RATE_UID_MAX 50	/* per UID */
#define RATE_MAX     400

/*
 * After FLOOD_REFUSALS refused connections within a period of FLOOD_PERIOD_US, no unprivileged user
 * is accepted until the period has ended.
 */
#define FLOOD_REFUSALS  1000
#define FLOOD_PERIOD_US 100000

struct guests {
	/* monotonic start of the second in which the connections were counted */
	int64_t second_ns;
	size_t n;
	struct guest {
		uid_t uid;
		unsigned n_connections;
	} user[GUEST_USERS];
	unsigned n_connections;
	/* monotonic start of the period in which refused connections were counted */
	uint64_t period_us;
	unsigned n_refused;
};

struct guests *guests_new(void)
{
	struct guests *g = xrealloc(NULL, sizeof(*g));
	memset(g, 0, sizeof(*g));
	return g;
}

/* Return the counter of a user. When the table is full, all further users share the last entry. */
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
