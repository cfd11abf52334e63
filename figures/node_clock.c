/* SPDX-License-Identifier: BSD-3-Clause */
/* node_clock.c - boots and clock steps of a node, from record to record */
#include "figures/node_clock.h"

#include <stdlib.h>

#define SECOND 1000000
#define STEP_MIN (SECOND / 2)	/* of a clock */

/* CLOCK_BOOTTIME, from the writer's own row; 0: it is not known. */
static int64_t boottime_of(const struct record *r)
{
	const struct record_type *type;
	const struct record_row *own = record_own_row(r, &type);
	int key = own ? record_key_find(type, "boottime") : -1;
	uint64_t usec = key < 0 ? 0 : own->value[key];

	return usec <= RECORD_USEC_MAX ? (int64_t)usec : 0;
}

/* Seconds since the boot: by the record, or else by the header before it; 0: not known. */
static int64_t uptime_of(const struct record_source *source, const struct record *r)
{
	struct str text = record_property(source, "uptime");
	int64_t usec = boottime_of(r);
	uint64_t up;

	if (usec)
		return usec / SECOND;
	return str_take_u64(&text, &up) && up <= RECORD_USEC_MAX / SECOND ? (int64_t)up : 0;
}

/*
 * Whether the node was booted between the newest record and this one, which a header precedes.
 * Another boot id alone says nothing, since that of a container is not that of its node: the node
 * must have been up for no longer than since that record, or, if its clock went back, for less
 * than before. Without boot ids: its uptime went back, or is shorter than that time.
 */
static bool was_booted(struct node_clock *c, const struct record_source *source,
		       const struct record *r)
{
	struct str id = record_property(source, "boot_id");
	int64_t up = uptime_of(source, r), since = (r->usec - c->usec) / SECOND;
	bool back = up < c->uptime, booted = false;

	if (c->usec == 0 || !up)
		booted = false;
	else if (!id.n || !c->boot_id.n)
		booted = back || (since > 1 && up < since - 1);
	else if (!str_eq(id, buf_str(&c->boot_id)))
		booted = since < 0 ? back : up <= since;
	c->uptime = up;
	c->boot_id.n = 0;
	buf_add(&c->boot_id, id);
	return booted;
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

	m.booted = r->restart && was_booted(c, source, r);
	m.step = take_step(c, r, m.booted);
	c->usec = r->usec;
	return m;
}

void node_clock_end(struct node_clock *c)
{
	buf_free(&c->boot_id);
}
