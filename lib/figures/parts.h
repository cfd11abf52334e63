/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h - what became of the CPU time that a job was given: seconds that add up to all of it */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum part {
	PART_USER, PART_KERNEL,
	PART_CPU, PART_IO, PART_MEMORY,	/* processes waited for these, and CPUs did nothing */
	PART_ASLEEP,	/* processes were there and wanted none of these */
	PART_UNUSED,	/* CPUs that it never had processes for */
	PART_UNKNOWN,
	PARTS
};

/* The same for the page, JSON, the chart and the manual. */
extern const struct part_name {
	const char *name;	/* in JSON */
	const char *label;
	char letter;		/* in a bar of characters */
} part_names[PARTS];

/* CPU seconds. .of is 0 where it is not known what the job was given; else the sum of all parts. */
struct parts {
	double of, part[PARTS];
};
struct parts parts_of_node(const struct report *r, size_t node);
struct parts parts_of(const struct report *r);	/* of all nodes, .of is 0 if it is on one of them */

static inline double part_percent(const struct parts *p, enum part i)
{
	return p->of > 0 ? 100 * p->part[i] / p->of : 0;
}

void parts_put_json(struct buf *b, const struct parts *p);	/* nothing where .of is 0 */
