/* SPDX-License-Identifier: BSD-3-Clause */
/* node_clock.c - track a node's boots, clock steps, cores, page faults and peak performance */
#include "schema/node_clock.h"

#include <stdlib.h>

#define STEP_MIN 500000	/* microseconds: smaller clock steps are not reported */

/*
 * Return by how many microseconds the clock was set forward since the last record that has a
 * CLOCK_BOOTTIME (negative: back). Returns 0 if the boot id changed: the node was booted, or the
 * record is from a container, whose CLOCK_BOOTTIME may have an offset. Differences below STEP_MIN
 * are ignored, since they come from the delay between reading the two clocks.
 */
static int64_t node_clock_take_step(struct node_clock *c, const struct record *r, bool same_id)
{
	int64_t boottime = c->boot.id.n ? boot_clock(r) : 0, step = 0;

	if (boottime && c->boottime && same_id)
		step = r->usec - c->record_usec - (boottime - c->boottime);
	if (boottime || !same_id) {
		c->record_usec = r->usec;
		c->boottime = boottime;
	}
	return llabs(step) >= STEP_MIN ? step : 0;
}

/* Return NUMBER of the word "KEY=NUMBER", or 0 if there is none. */
static uint64_t node_clock_number_of(struct str words, struct str key)
{
	struct str word;
	uint64_t n;

	while (str_take_word(&words, &word))
		if (str_take_prefix(&word, key) && str_take_prefix(&word, STR("=")) &&
		    str_take_u64(&word, &n) && word.n == 0)
			return n;
	return 0;
}

static void node_clock_read_header(struct node_clock *c, const struct record_source *source)
{
	uint64_t cores = node_clock_number_of(record_property(source, "topology"), STR("cores"));
	struct str peak = record_property(source, "peak");
	struct str fault = record_property(source, "fault_ns");
	uint64_t ns;

	c->cores = cores <= UINT32_MAX ? (uint32_t)cores : 0;
	c->fault_ns = str_take_u64(&fault, &ns) && ns <= UINT32_MAX ? (uint32_t)ns : 0;
	c->peaks = (struct peaks){
		.cycle = node_clock_number_of(peak, STR("cycle")),
		.clock = node_clock_number_of(peak, STR("clock")),
		.flops = node_clock_number_of(peak, STR("flops")),
		.bandwidth = node_clock_number_of(peak, STR("bandwidth")),
	};
}

struct node_moment node_clock_take(struct node_clock *c, const struct record *r,
				   const struct record_source *source)
{
	struct node_moment m = { .before = c->boot.usec };
	bool same_id = !r->restart ||
		       str_eq(record_property(source, "boot_id"), buf_str(&c->boot.id));

	m.booted = boot_take(&c->boot, r, source);
	m.step = node_clock_take_step(c, r, same_id && !m.booted);
	if (r->restart)
		node_clock_read_header(c, source);
	m.cores = c->cores;
	m.fault_ns = c->fault_ns;
	m.peaks = c->peaks;
	return m;
}

void node_clock_end(struct node_clock *c)
{
	boot_end(&c->boot);
}
