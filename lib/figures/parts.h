/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h - split the CPU time allocated to a job into parts, by what the CPUs did */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum part {
	PART_USER, PART_KERNEL,
	PART_OTHERS,	/* used by programs outside the job */
	/* idle, while processes of the job waited for a CPU, for I/O, or for memory */
	PART_CPU, PART_IO, PART_MEMORY,
	/* idle, while processes of the job slept without such a wait */
	PART_ASLEEP,
	PART_UNUSED,	/* time of CPUs for which the job had no process */
	PART_UNKNOWN,
	PARTS
};

/* Names of the parts in reports, in JSON, in charts and in the manual. */
extern const struct part_name {
	const char *name;	/* in JSON */
	const char *label;
	char letter;		/* in a bar chart of characters */
} part_names[PARTS];

/* CPU seconds allocated to a job: .of, and each part. .of is 0 if the allocation is unknown. */
struct parts {
	double of, part[PARTS];
};
struct parts parts_of_node(const struct report *r, size_t node);
/* Return the sums over all nodes of the job. .of is 0 if the allocation on some node is unknown. */
struct parts parts_of(const struct report *r);

static inline double part_percent(const struct parts *p, enum part i)
{
	return p->of > 0 ? 100 * p->part[i] / p->of : 0;
}

void parts_put_json(struct buf *b, const struct parts *p);	/* Append nothing if .of is 0. */
