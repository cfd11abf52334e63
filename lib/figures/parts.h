/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h - split the CPU time allocated to a job into parts that add up to the whole */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum part {
	PART_USER, PART_KERNEL,
	PART_OTHERS,	/* CPU time that programs outside the job used */
	/* idle CPU time while processes waited for a CPU, for I/O, or for memory */
	PART_CPU, PART_IO, PART_MEMORY,
	/* idle CPU time while processes slept, and did not wait for a CPU, I/O or memory */
	PART_ASLEEP,
	PART_UNUSED,	/* CPU time of CPUs for which the job had no process */
	PART_UNKNOWN,
	PARTS
};

/* Names of the parts on the page, in JSON, in the chart and in the manual. */
extern const struct part_name {
	const char *name;	/* name in JSON */
	const char *label;
	char letter;		/* letter in a bar chart of text */
} part_names[PARTS];

/*
 * The allocated CPU time, split into parts, in seconds. .of is the sum; 0: the allocation is
 * unknown.
 */
struct parts {
	double of, part[PARTS];
};
struct parts parts_of_node(const struct report *r, size_t node);
/* Return the parts of all nodes together. .of is 0 if the allocation on some node is unknown. */
struct parts parts_of(const struct report *r);

static inline double part_percent(const struct parts *p, enum part i)
{
	return p->of > 0 ? 100 * p->part[i] / p->of : 0;
}

void parts_put_json(struct buf *b, const struct parts *p);	/* appends nothing if .of is 0 */
