/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h - split the CPU time allocated to a job into parts that add up to the whole */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum part {
	PART_USER, PART_KERNEL,
	PART_OTHERS,	/* CPUs that programs outside the job kept busy */
	/* CPUs that were idle while processes waited for a CPU, for I/O, or for memory */
	PART_CPU, PART_IO, PART_MEMORY,
	/* CPUs that were idle while processes slept, without waiting for a CPU, I/O or memory */
	PART_ASLEEP,
	PART_UNUSED,	/* CPUs for which the job never had a process */
	PART_UNKNOWN,
	PARTS
};

/* Names of the parts on the page, in JSON, in the chart and in the manual. */
extern const struct part_name {
	const char *name;	/* name in JSON */
	const char *label;
	char letter;		/* letter of the part in a bar of letters */
} part_names[PARTS];

/*
 * CPU seconds of each part. .of is the sum of all parts, or 0 if the job's allocation is unknown.
 */
struct parts {
	double of, part[PARTS];
};
struct parts parts_of_node(const struct report *r, size_t node);
/* Add up the parts on all nodes. .of is 0 if the job's allocation is unknown on some node. */
struct parts parts_of(const struct report *r);

static inline double part_percent(const struct parts *p, enum part i)
{
	return p->of > 0 ? 100 * p->part[i] / p->of : 0;
}

void parts_put_json(struct buf *b, const struct parts *p);	/* append nothing if .of is 0 */
