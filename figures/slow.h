/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.h - nodes of one run against each other: which of them did the same work more slowly */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define SLOW_MEASURES 9
#define SLOW_PEERS    4	/* nodes that are alike; of fewer nothing is said */

/* Of the node's CPU time a part, or a rate of the work, whatever work it is. The cause first. */
extern const struct slow_measure {
	const char *name;	/* in JSON */
	const char *title;	/* for people: how it differs from the median of its peers */
	/* NAN: it is not known, or there was too little to compare. */
	double (*read)(const struct node *n, double seconds);
	enum { SLOW_LESS, SLOW_MORE, SLOW_SHARE } slow;
	double least;		/* of a node that is slow: of the median, or of CPU time */
	bool of_work;		/* a part of the job that others lack makes it, too */
} slow_measures[SLOW_MEASURES];

struct slow_node {
	float by[SLOW_MEASURES];	/* slower than its peers; NAN: was not compared */
	uint32_t slow;			/* bits of the measures by which it is beyond chance */
};

/*
 * ret: one of each node. Nodes are compared with those of as many CPUs, cores and GPUs, the same
 * nominal clock, memory and counters, that the job had alone and for as long. A node is slow where
 * it is further above the median, in robust standard deviations, than one of 30,000 nodes that are
 * alike, and where few are. Of measures that are of work, the first node of the job,
 * which often has more to do, and neighbours that are slow together are not.
 */
void slow_of(const struct report *r, struct slow_node *ret);

/* The rule of findings: percent. */
bool slow_holds(const struct report *r, double threshold, struct buf *why);
