/* SPDX-License-Identifier: BSD-3-Clause */
/* node_clock.c - boots, clock steps, cores and peaks of a node, from record to record */
#include "schema/node_clock.h"

#include <stdlib.h>

#define STEP_MIN 500000	/* of a clock, in microseconds */

/*
 * How far the clock was set since the record before, if both are of one boot: only what is off by
 * more than waiting explains is a step.
 */
static int64_t take_step(struct node_clock *c, const struct record *r, bool booted)
{
	int64_t boottime = c->boot.id.n ? boot_clock(r) : 0, step = 0;

	if (boottime && c->boottime && !booted)
		step = r->usec - c->record_usec - (boottime - c->boottime);
	if (boottime || booted) {
		c->record_usec = r->usec;
		c->boottime = boottime;
	}
	return llabs(step) >= STEP_MIN ? step : 0;
}

/* The number of "KEY=NUMBER" among the words; 0: there is none. */
static uint64_t number_of(struct str words, struct str key)
{
	struct str word;
	uint64_t n;

	while (str_take_word(&words, &word))
		if (str_take_prefix(&word, key) && str_take_prefix(&word, STR("=")) &&
		    str_take_u64(&word, &n) && word.n == 0)
			return n;
	return 0;
}

static void read_header(struct node_clock *c, const struct record_source *source)
{
	uint64_t cores = number_of(record_property(source, "topology"), STR("cores"));
	struct str peak = record_property(source, "peak");

	c->cores = cores <= UINT32_MAX ? (uint32_t)cores : 0;
	c->peaks = (struct peaks){
		.cycle = number_of(peak, STR("cycle")), .clock = number_of(peak, STR("clock")),
		.flops = number_of(peak, STR("flops")),
		.bandwidth = number_of(peak, STR("bandwidth")),
	};
}

struct node_moment node_clock_take(struct node_clock *c, const struct record *r,
				   const struct record_source *source)
{
	struct node_moment m = { .before = c->boot.usec };

	m.booted = boot_take(&c->boot, r, source);
	m.step = take_step(c, r, m.booted);
	if (r->restart)
		read_header(c, source);
	m.cores = c->cores;
	m.peaks = c->peaks;
	return m;
}

void node_clock_end(struct node_clock *c)
{
	boot_end(&c->boot);
}
