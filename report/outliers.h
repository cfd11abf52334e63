/* SPDX-License-Identifier: BSD-3-Clause */
/* outliers.h - choose the nodes of a large job that a report shows individually */
#pragma once

#include "figures/report.h"

#define OUTLIERS_MAX 8

struct outliers {
	size_t node[OUTLIERS_MAX];	/* indices of the nodes, ascending */
	size_t n, more;			/* number of chosen nodes, and of nodes left out */
	bool known;			/* the CPU use of at least one node left out is known */
	double low, high;	/* lowest and highest CPU use of the nodes left out, in percent */
};

/*
 * Choose the nodes whose CPU use is farthest from the median, then nodes with unknown CPU use. If
 * there are at most OUTLIERS_MAX nodes, choose all.
 */
struct outliers outliers_of(const struct report *r);
