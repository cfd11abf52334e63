/* SPDX-License-Identifier: BSD-3-Clause */
/* node_clock.h - track a node's boots, clock steps, cores, page faults and peak performance */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "schema/boot.h"

/* Peak performance of the node, from the header line "$peak"; 0: unknown. */
struct peaks {
	/* 64-bit operations per cycle and core, known from the processor model */
	uint64_t cycle;
	uint64_t clock;		/* nominal frequency, Hz */
	/* operations and bytes per second, measured by "nodometer peak" */
	uint64_t flops, bandwidth;
};

/* The state of a node. All zero is a valid start; node_clock_end() releases it. */
struct node_clock {
	struct boot boot;
	/* time and CLOCK_BOOTTIME of the newest record that has both, microseconds; 0: none */
	int64_t record_usec, boottime;
	uint32_t cores;		/* number of cores, from the newest header */
	uint32_t fault_ns;	/* $fault_ns of the newest header */
	struct peaks peaks;
};

/* The relation of a record to the node's previous record, independent of jobs. */
struct node_moment {
	bool booted;		/* the node was booted between the two records */
	int64_t step;		/* microseconds by which the clock was set, or 0 */
	int64_t before;		/* time of the previous record; 0: none */
	uint32_t cores;		/* number of cores, from the header; 0: unknown */
	uint32_t fault_ns;	/* CPU time of a page fault, from the header; 0: unknown */
	struct peaks peaks;
};

/* Take the next record. Reads the header properties of the source. */
struct node_moment node_clock_take(struct node_clock *c, const struct record *r,
				   const struct record_source *source);
void node_clock_end(struct node_clock *c);
