/* SPDX-License-Identifier: BSD-3-Clause */
/* node_clock.h - boots, clock steps, cores and peaks of a node, from record to record */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "schema/boot.h"

/* The most that the node can do, by the line "$peak" of its header; 0: not known. */
struct peaks {
	uint64_t cycle;		/* operations of 64 bits of a core in a cycle, by the processor */
	uint64_t clock;		/* Hz, the nominal one */
	uint64_t flops, bandwidth;	/* operations, bytes a second: "nodometer peak" measured */
};

/* All zero is a valid new one; node_clock_end() ends it. */
struct node_clock {
	struct boot boot;
	int64_t record_usec, boottime;	/* of the newest record that has both; 0 */
	uint32_t cores;		/* by the newest header */
	struct peaks peaks;
};

/* How a record follows the one before on its node, whatever jobs there are. */
struct node_moment {
	bool booted;		/* the node was booted in between */
	int64_t step;		/* the clock was set by so many microseconds, or 0 */
	int64_t before;		/* the time of the record before, 0: there is none */
	uint32_t cores;		/* of the node, by its header; 0: not known */
	struct peaks peaks;
};

/* The source is asked for what its header says of the boot, the cores and the peaks. */
struct node_moment node_clock_take(struct node_clock *c, const struct record *r,
				   const struct record_source *source);
void node_clock_end(struct node_clock *c);
