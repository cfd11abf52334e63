/* SPDX-License-Identifier: BSD-3-Clause */
/* outliers.h - choose the nodes of a large job that a page shows */
#pragma once

#include "figures/report.h"

#define OUTLIERS_MAX 8

struct outliers {
	size_t node[OUTLIERS_MAX];	/* indices of the nodes, ascending */
	size_t n, more;			/* number of these nodes, and of all others */
	bool known;			/* the load of some of the others is known */
	double low, high;		/* their least and most used CPU time, percent */
};

/*
 * Choose the nodes whose share of used CPU time is farthest from the median, nodes with an unknown
 * share last; all nodes if there are at most OUTLIERS_MAX.
 */
struct outliers outliers_of(const struct report *r);
