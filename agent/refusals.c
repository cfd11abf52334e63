/* SPDX-License-Identifier: BSD-3-Clause */
/* refusals.c - requests of users who may not: each user is logged at most once in a minute */
#include "agent/refusals.h"

#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"

#define MINUTE_US 60000000u
#define COUNTED_MAX 16	/* whose requests are counted one by one */

struct refusals {
	sd_event *event;
	size_t n;		/* in this minute */
	struct {
		uid_t uid;
		uint64_t all;
		uint64_t more;	/* since it was logged */
	} user[COUNTED_MAX];
	uint64_t others;
	uint64_t total;		/* since the agent began */
	sd_event_source *timer;
};

static int on_minute(sd_event_source *source, uint64_t usec, void *arg);

static void wait_a_minute(struct refusals *r)
{
	r->timer = sd_event_source_unref(r->timer);
	if (sd_event_add_time(r->event, &r->timer, CLOCK_MONOTONIC,
			      (uint64_t)monotonic_ns() / 1000 + MINUTE_US, 0, on_minute, r) < 0)
		r->n = r->others = 0;
}

/* Logs what was counted. */
static void say(struct refusals *r)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (r->user[i].more == 0)
			continue;
		log_warning("user %u: %llu more requests were refused", (unsigned)r->user[i].uid,
			    (unsigned long long)r->user[i].more);
		r->user[kept] = r->user[i];
		r->user[kept++].more = 0;
	}
	r->n = kept;
	if (r->others)
		log_warning("other users: %llu more requests were refused",
			    (unsigned long long)r->others);
	r->others = 0;
}

static int on_minute(sd_event_source *source, uint64_t usec, void *arg)
{
	struct refusals *r = arg;
	(void)source;
	(void)usec;
	say(r);
	if (r->n)
		wait_a_minute(r);
	return 0;
}

struct refusals *refusals_new(sd_event *event)
{
	struct refusals *r = xrealloc(NULL, sizeof(*r));
	*r = (struct refusals){ .event = event };
	return r;
}

/* More users than we keep are of one who has many: in a user namespace there are 65,536. */
void refusals_note(struct refusals *r, uid_t uid, const char *verb)
{
	size_t i = 0;
	r->total++;
	while (i < r->n && r->user[i].uid != uid)
		i++;
	if (i < r->n) {
		r->user[i].more++;
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
	r->user[r->n++].more = 0;
	if (r->n == 1)
		wait_a_minute(r);
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
	say(r);
	sd_event_source_unref(r->timer);
	free(r);
}
