/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h - split the CPU time given to a job into parts that add up to the whole */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum part {
	PART_USER, PART_KERNEL,
	PART_OTHERS,	/* CPUs kept busy by other programs */
	/* CPUs idle while processes waited for a CPU, for I/O, for memory */
	PART_CPU, PART_IO, PART_MEMORY,
	PART_ASLEEP,	/* CPUs idle while processes slept, and waited for no CPU, I/O or memory */
	PART_UNUSED,	/* CPUs that the job never had processes for */
	PART_UNKNOWN,
	PARTS
};

/* Names of the parts for the page, JSON, the chart and the manual. */
extern const struct part_name {
	const char *name;	/* name in JSON */
	const char *label;
	char letter;		/* letter in a bar of characters */
} part_names[PARTS];

/* CPU seconds. .of is the sum of all parts, or 0 if the job's allocation is unknown. */
struct parts {
	double of, part[PARTS];
};
struct parts parts_of_node(const struct report *r, size_t node);
/* sum of all nodes; .of is 0 if it is 0 on one of them */
struct parts parts_of(const struct report *r);

static inline double part_percent(const struct parts *p, enum part i)
{
	return p->of > 0 ? 100 * p->part[i] / p->of : 0;
}

void parts_put_json(struct buf *b, const struct parts *p);	/* append nothing if .of is 0 */
