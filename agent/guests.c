/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.c - how often those connect who may only ask: nobody else waits for them */
#include "agent/guests.h"

#include <string.h>
#include "base/clock.h"
#include "base/vec.h"

#define GUEST_USERS   64

/* In a user namespace one user has 65,536 numbers: so there is a limit for all of them as well. */
#define OFTEN_OF_USER 50	/* in a second */
#define OFTEN_OF_ALL  400

/* A flood costs the agent so many connections in a while: then all wait outside. */
#define FLOOD    1000
#define WHILE_US 100000

struct guests {
	int64_t second_ns;	/* monotonic, since when these came: */
	size_t n;
	struct guest {
		uid_t uid;
		unsigned came;
	} user[GUEST_USERS];
	unsigned came;
	uint64_t while_us;	/* monotonic, since when so many were turned away: */
	unsigned turned_away;
};

struct guests *guests_new(void)
{
	struct guests *g = xrealloc(NULL, sizeof(*g));
	memset(g, 0, sizeof(*g));
	return g;
}

/* Users after so many others within a second share the last place. */
static unsigned *count_of(struct guests *g, uid_t uid)
{
	size_t i = 0;
	while (i < g->n && g->user[i].uid != uid)
		i++;
	if (i == GUEST_USERS)
		return &g->user[i - 1].came;
	if (i == g->n)
		g->user[g->n++] = (struct guest){ .uid = uid };
	return &g->user[i].came;
}

bool guests_admit(struct guests *g, uid_t uid)
{
	int64_t now = monotonic_ns();
	if (now - g->second_ns >= 1000000000) {
		g->second_ns = now;
		g->n = g->came = 0;
	}
	return ++*count_of(g, uid) <= OFTEN_OF_USER && ++g->came <= OFTEN_OF_ALL;
}

uint64_t guests_turned_away(struct guests *g)
{
	uint64_t now = (uint64_t)monotonic_ns() / 1000;
	if (now - g->while_us >= WHILE_US) {
		g->while_us = now;
		g->turned_away = 0;
	}
	return ++g->turned_away < FLOOD ? 0 : g->while_us + WHILE_US;
}
