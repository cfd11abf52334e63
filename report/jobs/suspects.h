/* SPDX-License-Identifier: BSD-3-Clause */
/* suspects.h - find nodes that were slow in more runs than chance explains */
#pragma once

#include "base/map.h"
#include "report/jobs/run_row.h"

/*
 * A node is a suspect if the probability of being slow in so many runs by chance is below
 * SUSPECT_CHANCE. Chance is assumed to make a node slow in a fraction SUSPECT_RATE of its runs or,
 * if other nodes were slow in a larger fraction of their runs, in that fraction.
 */
#define SUSPECT_RATE   1e-3
#define SUSPECT_CHANCE 1e-5

/* All zero is a valid empty state. */
struct suspects {
	struct suspect_node {
		char *name;
		struct suspect_times {
			uint32_t compared;	/* number of runs in which the node was compared */
			uint32_t n, cap;
			struct suspect_time {	/* runs in which the node was slow */
				int64_t first, last;	/* times of the run, in microseconds */
				/*
				 * hash of the run's program and number of nodes, and of the
				 * position of this node among the nodes
				 */
				uint64_t place;
				float by;
			} *time;
		} of[SLOW_MEASURES];
	} *node;
	size_t n, cap;
	struct map by_name;
	/* sums over all nodes of .compared and .n: numbers of comparisons and of slow runs */
	uint64_t compared[SLOW_MEASURES], slow[SLOW_MEASURES];
	/* number of compared nodes, summed over all runs */
	uint64_t runs;
};

struct suspect {
	const char *node;
	size_t measure;
	double by;		/* median slowness over the runs in which the node was slow */
	/* number of runs in which the node was slow, and in which the node was compared */
	uint32_t slow, compared;
	/* start of the first slow run and end of the last, in microseconds */
	int64_t since, until;
	double chance;	/* probability of being slow at least this often by chance */
};

void suspects_add(struct suspects *s, const struct run_row *row, int64_t first, int64_t last);

/*
 * Find the suspects, least probable first. *ret must be NULL, and is set to an array, which the
 * caller frees, if there are any. The names in it belong to s. Returns the number of suspects.
 */
size_t suspects_find(const struct suspects *s, struct suspect **ret);
void suspects_free(struct suspects *s);
