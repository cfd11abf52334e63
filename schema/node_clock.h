/* SPDX-License-Identifier: BSD-3-Clause */
/* node_clock.h - track a node's boots, clock steps, cores, page faults and peak performance */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "schema/boot.h"

/* Peak performance of the node, from the header line "$peak"; 0: unknown. */
struct peaks {
	/* 64-bit floating point operations per cycle and core, from the processor model */
	uint64_t cycle;
	uint64_t clock;		/* nominal frequency, Hz */
	/*
	 * floating point operations, and bytes of memory, per second, measured by "nodometer peak"
	 */
	uint64_t flops, bandwidth;
};

/*
 * State of a node at its newest record. Zeroed memory is a valid start; node_clock_end() releases
 * it.
 */
struct node_clock {
	struct boot boot;
	/*
	 * time and CLOCK_BOOTTIME, in microseconds, of the newest record that has a CLOCK_BOOTTIME;
	 * 0: none
	 */
	int64_t record_usec, boottime;
	uint32_t cores;		/* number of cores, from the newest header */
	/* CPU time of a page fault in ns, from the newest header ($fault_ns) */
	uint32_t fault_ns;
	struct peaks peaks;
};

/* State of a node at a record, and changes since its previous record. */
struct node_moment {
	bool booted;		/* the node was booted between the two records */
	/*
	 * microseconds by which the clock was set forward between the two records (negative: back);
	 * 0 if below 0.5 s
	 */
	int64_t step;
	int64_t before;		/* time of the previous record, microseconds; 0: none */
	uint32_t cores;		/* number of cores, from the header; 0: unknown */
	uint32_t fault_ns;	/* CPU time of a page fault in ns, from the header; 0: unknown */
	struct peaks peaks;
};

/* Update the state from the next record of the node and the header before it. */
struct node_moment node_clock_take(struct node_clock *c, const struct record *r,
				   const struct record_source *source);
void node_clock_end(struct node_clock *c);
