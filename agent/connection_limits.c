/* SPDX-License-Identifier: BSD-3-Clause */
/* connection_limits.c - limit the connections of unprivileged users */
#include "agent/connection_limits.h"

#include <string.h>
#include "base/clock.h"
#include "base/vec.h"

#define LIMITED_USERS   64

/*
 * Limits of connections per second. One user can have 65,536 UIDs in a user namespace, so there is
 * also a limit for all unprivileged users together.
 */
#define RATE_UID_MAX 50		/* for each UID */
#define RATE_MAX     400	/* for all UIDs together */

/*
 * If FLOOD_REFUSALS connections are refused within a period of FLOOD_PERIOD_US (us), refuse all
 * unprivileged users until the period ends.
 */
#define FLOOD_REFUSALS  1000
#define FLOOD_PERIOD_US 100000

struct connection_limits {
	/*
	 * start of the second in which connections are counted, in nanoseconds of CLOCK_MONOTONIC
	 */
	int64_t second_ns;
	size_t n;
	struct limited_user {
		uid_t uid;
		unsigned n_connections;
	} user[LIMITED_USERS];
	unsigned n_connections;
	/* start of the period in which refused connections are counted, in us of CLOCK_MONOTONIC */
	uint64_t period_us;
	unsigned n_refused;
};

struct connection_limits *connection_limits_new(void)
{
	struct connection_limits *g = xrealloc(NULL, sizeof(*g));
	memset(g, 0, sizeof(*g));
	return g;
}

/* Return the counter of a user. If the table is full, all further users share its last counter. */
static unsigned *connection_limits_count_of(struct connection_limits *g, uid_t uid)
{
	size_t i = 0;
	while (i < g->n && g->user[i].uid != uid)
		i++;
	if (i == LIMITED_USERS)
		return &g->user[i - 1].n_connections;
	if (i == g->n)
		g->user[g->n++] = (struct limited_user){ .uid = uid };
	return &g->user[i].n_connections;
}

bool connection_limits_admit(struct connection_limits *g, uid_t uid)
{
	int64_t now = monotonic_ns();
	if (now - g->second_ns >= 1000000000) {
		g->second_ns = now;
		g->n = g->n_connections = 0;
	}
	return ++*connection_limits_count_of(g, uid) <= RATE_UID_MAX &&
	       ++g->n_connections <= RATE_MAX;
}

uint64_t connection_limits_note_refusal(struct connection_limits *g)
{
	uint64_t now = (uint64_t)monotonic_ns() / 1000;
	if (now - g->period_us >= FLOOD_PERIOD_US) {
		g->period_us = now;
		g->n_refused = 0;
	}
	return ++g->n_refused < FLOOD_REFUSALS ? 0 : g->period_us + FLOOD_PERIOD_US;
}
