/* SPDX-License-Identifier: BSD-3-Clause */
/* refusals.c - log requests that users are not allowed to make, at most once a minute per user */
#include "agent/refusals.h"

#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"

#define MINUTE_US   60000000u
#define COUNTED_MAX 16	/* number of users whose refused requests are counted separately */

struct refusals {
	sd_event *event;
	size_t n;		/* number of users with a refused request in this minute */
	struct {
		uid_t uid;
		uint64_t all;
		uint64_t n_unlogged;	/* number of requests refused since the last log message */
	} user[COUNTED_MAX];
	uint64_t others;
	uint64_t total;		/* number of requests refused since the agent was started */
	sd_event_source *timer;
};

static int refusals_on_minute(sd_event_source *source, uint64_t usec, void *arg);

static void refusals_start_timer(struct refusals *r)
{
	r->timer = sd_event_source_unref(r->timer);
	if (sd_event_add_time(r->event, &r->timer, CLOCK_MONOTONIC,
			      (uint64_t)monotonic_ns() / 1000 + MINUTE_US, 0,
			      refusals_on_minute, r) < 0)
		r->n = r->others = 0;
}

/* Log how many requests of each user were refused since the last message. */
static void refusals_log(struct refusals *r)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (r->user[i].n_unlogged == 0)
			continue;
		log_warning("user %u: %llu more requests were refused", (unsigned)r->user[i].uid,
			    (unsigned long long)r->user[i].n_unlogged);
		r->user[kept] = r->user[i];
		r->user[kept++].n_unlogged = 0;
	}
	r->n = kept;
	if (r->others)
		log_warning("other users: %llu more requests were refused",
			    (unsigned long long)r->others);
	r->others = 0;
}

static int refusals_on_minute(sd_event_source *source, uint64_t usec, void *arg)
{
	struct refusals *r = arg;
	(void)source;
	(void)usec;
	refusals_log(r);
	if (r->n)
		refusals_start_timer(r);
	return 0;
}

struct refusals *refusals_new(sd_event *event)
{
	struct refusals *r = xrealloc(NULL, sizeof(*r));
	*r = (struct refusals){ .event = event };
	return r;
}

/*
 * Count a refused request. After COUNTED_MAX users in a minute, further users share one count,
 * since they probably are one user with many UIDs of a user namespace.
 */
void refusals_note(struct refusals *r, uid_t uid, const char *verb)
{
	size_t i = 0;
	r->total++;
	while (i < r->n && r->user[i].uid != uid)
		i++;
	if (i < r->n) {
		r->user[i].n_unlogged++;
		r->user[i].all++;
		return;
	}
	if (r->n == COUNTED_MAX) {
		r->others++;
		return;
	}
	log_warning("user %u may not %s; see \"users\" in the configuration", (unsigned)uid, verb);
	r->user[r->n].uid = uid;
	r->user[r->n].all = 1;
	r->user[r->n++].n_unlogged = 0;
	if (r->n == 1)
		refusals_start_timer(r);
}

void refusals_put(const struct refusals *r, struct buf *b)
{
	buf_addf(b, "denied %llu\n", (unsigned long long)r->total);
	for (size_t i = 0; i < r->n; i++)
		buf_addf(b, "denied_to user %u: %llu\n", (unsigned)r->user[i].uid,
			 (unsigned long long)r->user[i].all);
}

void refusals_free(struct refusals *r)
{
	refusals_log(r);
	sd_event_source_unref(r->timer);
	free(r);
}
