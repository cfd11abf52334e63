/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.h - compare the nodes of one run, to find nodes that did the same work more slowly */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define SLOW_MEASURES 9
#define SLOW_PEERS    4	/* least number of nodes of one kind that are compared */

/*
 * A measure by which nodes are compared: a fraction of the node's CPU time, or a rate at which it
 * works. Measures that are causes of slowness come first.
 */
extern const struct slow_measure {
	const char *name;	/* name in JSON */
	/* what a difference from the median of the peers means, for people */
	const char *title;
	/*
	 * Compute the measure on a node. Returns NAN if it is unknown, or if the node did too
	 * little to compare it.
	 */
	double (*read)(const struct node *n, double seconds);
	enum { SLOW_LESS, SLOW_MORE, SLOW_SHARE } slow;
	/*
	 * smallest difference from the median that makes a node slow: a fraction of the median or,
	 * with SLOW_SHARE, of the CPU time
	 */
	double least;
	bool of_work;	/* the difference may also come from uneven work within the job */
} slow_measures[SLOW_MEASURES];

struct slow_node {
	/* how much slower than its peers the node is, by each measure; NAN: not compared */
	float by[SLOW_MEASURES];
	/* mask of the measures by which the node is slower than chance can explain */
	uint32_t slow;
};

/*
 * Compare the nodes of a job; ret has one entry for each node. A node's peers have the same number
 * of CPUs, cores and GPUs and the same nominal clock, memory and counters; no other job ran on any
 * of them, and the job used all of them for the same time. A node is slow if few of its peers are
 * slow, and if its difference from the median is too large for chance: normal noise exceeds it on
 * one of 30,000 nodes. Measures with .of_work are not applied to the first node of the job, which
 * often has more to do, nor to neighbours that are slow together. They are also not applied to a
 * node whose CPU time differs so much from the median that its work must differ.
 */
void slow_of(const struct report *r, struct slow_node *ret);

/*
 * Evaluate the rule about slow nodes, see .holds of struct finding_rule. threshold is in percent.
 */
bool slow_holds(const struct report *r, double threshold, struct buf *why);
