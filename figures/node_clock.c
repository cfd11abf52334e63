/* SPDX-License-Identifier: BSD-3-Clause */
/* node_clock.c - boots and clock steps of a node, from record to record */
#include "figures/node_clock.h"

#include <stdlib.h>

#define SECOND 1000000
#define STEP_MIN (SECOND / 2)	/* of a clock */

/*
 * Whether the node was booted between the newest record and this one, which a header precedes.
 * Without boot ids: its uptime went back, or is shorter than the time since that record.
 */
static bool was_booted(struct node_clock *c, const struct record_source *source, int64_t usec)
{
	struct str id = record_property(source, "boot_id"), text;
	bool first = c->usec == 0, booted = false;
	uint64_t uptime;

	text = record_property(source, "uptime");
	if (id.n > 0 && c->boot_id.n > 0) {
		booted = !str_eq(id, buf_str(&c->boot_id));
	} else if (!first && str_take_u64(&text, &uptime)) {
		int64_t since = (usec - c->usec) / SECOND;
		booted = uptime < c->uptime || (since > 1 && uptime < (uint64_t)since - 1);
	}
	text = record_property(source, "uptime");
	if (!str_take_u64(&text, &c->uptime))
		c->uptime = 0;
	c->boot_id.n = 0;
	buf_add(&c->boot_id, id);
	return booted;
}

/* CLOCK_BOOTTIME, from the writer's own row; 0: it is not known. */
static int64_t boottime_of(const struct record *r)
{
	const struct record_type *type;
	const struct record_row *own = record_own_row(r, &type);
	int key = own ? record_key_find(type, "boottime") : -1;

	return key < 0 ? 0 : (int64_t)own->value[key];
}

/*
 * How far the clock was set since the record before, if both are of one boot: only what is off by
 * more than waiting explains is a step.
 */
static int64_t take_step(struct node_clock *c, const struct record *r, bool booted)
{
	int64_t boottime = c->boot_id.n ? boottime_of(r) : 0, step = 0;

	if (boottime && c->boottime && !booted)
		step = r->usec - c->record_usec - (boottime - c->boottime);
	if (boottime || booted) {
		c->record_usec = r->usec;
		c->boottime = boottime;
	}
	return llabs(step) >= STEP_MIN ? step : 0;
}

struct node_moment node_clock_take(struct node_clock *c, const struct record *r,
				   const struct record_source *source)
{
	struct node_moment m = { .before = c->usec };

	m.booted = r->restart && was_booted(c, source, r->usec);
	m.step = take_step(c, r, m.booted);
	c->usec = r->usec;
	return m;
}

void node_clock_end(struct node_clock *c)
{
	buf_free(&c->boot_id);
}
