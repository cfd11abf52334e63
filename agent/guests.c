/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.c - how many connections those have who may only ask: nobody else waits for them */
#include "agent/daemon.h"
#include "base/clock.h"
#include "base/log.h"

/* In a user namespace one user has 65,536 numbers: so there is a limit for all of them as well. */
#define OPEN_OF_USER  16
#define OPEN_OF_ALL   256
#define OFTEN_OF_USER 50	/* in a second */
#define OFTEN_OF_ALL  400

/* A flood costs the agent so many connections in a while: then all wait outside. */
#define FLOOD    1000
#define WHILE_US 100000

/* Who comes after so many users within a second shares the last place. */
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

static bool comes_too_often(struct guests *g, uid_t uid)
{
	int64_t now = monotonic_ns();
	if (now - g->second_ns >= 1000000000) {
		g->second_ns = now;
		g->n = g->came = 0;
	}
	unsigned *of_user = count_of(g, uid);
	if (++*of_user > OFTEN_OF_USER)
		return true;
	return ++g->came > OFTEN_OF_ALL;
}

static size_t count_open(const struct daemon *d, uid_t uid, size_t *all)
{
	size_t n = 0;
	*all = 0;
	for (size_t i = 0; i < PEERS_MAX; i++) {
		*all += d->peer[i].guest;
		n += d->peer[i].guest && d->peer[i].cred.uid == uid;
	}
	return n;
}

bool guests_admit(struct daemon *d, uid_t uid)
{
	size_t all;
	return !comes_too_often(&d->guests, uid) && count_open(d, uid, &all) < OPEN_OF_USER &&
	       all < OPEN_OF_ALL;
}

static int on_while(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	d->guests.pause = sd_event_source_unref(d->guests.pause);
	d->guests.turned_away = 0;
	sd_event_source_set_enabled(d->listen[LISTEN_ALL].source, SD_EVENT_ON);
	return 0;
}

void guests_turned_away(struct daemon *d)
{
	struct guests *g = &d->guests;
	uint64_t now = (uint64_t)monotonic_ns() / 1000;
	if (now - g->while_us >= WHILE_US) {
		g->while_us = now;
		g->turned_away = 0;
	}
	if (++g->turned_away < FLOOD || g->pause)
		return;
	if (sd_event_add_time(d->event, &g->pause, CLOCK_MONOTONIC, g->while_us + WHILE_US, 0,
			      on_while, d) >= 0)
		sd_event_source_set_enabled(d->listen[LISTEN_ALL].source, SD_EVENT_OFF);
}

void guests_forget(struct daemon *d)
{
	sd_event_source_unref(d->guests.pause);
	d->guests = (struct guests){ .n = 0 };
}
