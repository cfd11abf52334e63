/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.h - compare the nodes of one job, to find nodes that did the same work more slowly */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define SLOW_MEASURES 9
#define SLOW_PEERS    4	/* smallest number of similar nodes that are compared */

/*
 * A measure by which nodes are compared: a fraction of the CPU time, or a rate of work. Measures of
 * possible causes come before measures of work.
 */
extern const struct slow_measure {
	const char *name;	/* name in JSON */
	/* text for reports: in which way a slow node differs from the median */
	const char *title;
	/*
	 * Compute the measure on a node, on which the job took `seconds`. Returns NAN if the
	 * measure is unknown, or if the node did too little for a comparison.
	 */
	double (*read)(const struct node *n, double seconds);
	enum { SLOW_LESS, SLOW_MORE, SLOW_SHARE } slow;
	/*
	 * smallest difference from the median that makes a node slow: a fraction of the median or,
	 * with SLOW_SHARE, a difference of two fractions
	 */
	double least;
	bool of_work;	/* the difference may also be due to uneven work within the job */
} slow_measures[SLOW_MEASURES];

struct slow_node {
	/*
	 * by each measure: how much slower the node is than the median of its peers, in the unit of
	 * .least; NAN: not compared
	 */
	float by[SLOW_MEASURES];
	/* mask of the measures by which the node is slow */
	uint32_t slow;
};

/*
 * Compare the nodes of a job; ret has one entry for each node. The peers of a node have the same
 * number of CPUs, cores and GPUs and the same nominal clock, memory and counters; no other job ran
 * on any of them, and the job used all of them for the same time. A node is slow if it differs from
 * the median of its peers by more than chance explains, and few of its peers do. Measures with
 * .of_work ignore the first node of the job, which often has more to do, adjacent nodes that are
 * all slow, and nodes whose CPU time shows that they had more or less work.
 */
void slow_of(const struct report *r, struct slow_node *ret);

/* Find slow nodes: the rule "slow-node", for .holds of struct finding_rule. threshold: percent. */
bool slow_holds(const struct report *r, double threshold, struct buf *why);
