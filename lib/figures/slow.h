/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.h - compare the nodes of one run, to find nodes that did the same work more slowly */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define SLOW_MEASURES 9
#define SLOW_PEERS    4	/* fewest nodes of one kind to compare */

/*
 * A measure by which nodes are compared: a fraction of the CPU time, or a rate of work. Possible
 * causes of slowness come first.
 */
extern const struct slow_measure {
	const char *name;	/* name in JSON */
	/* what it means if a node differs from the median, for people */
	const char *title;
	/*
	 * Compute the measure on a node. Returns NAN if it is unknown, or if the node did too
	 * little to compare it.
	 */
	double (*read)(const struct node *n, double seconds);
	enum { SLOW_LESS, SLOW_MORE, SLOW_SHARE } slow;
	/*
	 * smallest difference from the median that makes a node slow: a fraction of the median or,
	 * with SLOW_SHARE, of the whole, such as the CPU time
	 */
	double least;
	bool of_work;	/* uneven work within the job may also cause the difference */
} slow_measures[SLOW_MEASURES];

struct slow_node {
	/*
	 * how much slower than the median of its peers the node is, by each measure, as a fraction
	 * like .least; NAN: not compared
	 */
	float by[SLOW_MEASURES];
	/* mask of the measures by which the node is slow */
	uint32_t slow;
};

/*
 * Compare the nodes of a job; ret has one entry for each node. A node's peers have the same number
 * of CPUs, cores and GPUs and the same nominal clock, memory and counters; no other job ran on any
 * of them, and the job used all of them for the same time. A node is slow if few of its peers are
 * slow, and if it differs from their median by more than chance explains. Measures with .of_work
 * are not applied to the first node of the job, which often has more to do, nor to nodes that are
 * slow next to each other, nor to a node whose CPU time differs so much from the median that its
 * work must differ.
 */
void slow_of(const struct report *r, struct slow_node *ret);

/* Find slow nodes: a rule for .holds of struct finding_rule. threshold is in percent. */
bool slow_holds(const struct report *r, double threshold, struct buf *why);
