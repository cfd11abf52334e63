/* SPDX-License-Identifier: BSD-3-Clause */
/* suspects.h - which nodes were slow in more of their runs than chance would have it */
#pragma once

#include "base/map.h"
#include "report/jobs/run_row.h"

/*
 * A node is slow by chance in one of 1,000 runs, or in as large a part of them as the other nodes
 * are; suspected is a node that is so often slow that of 100,000 nodes fewer than one is by chance.
 */
#define SUSPECT_RATE   1e-3
#define SUSPECT_CHANCE 1e-5

/* All zero is a valid empty one. */
struct suspects {
	struct suspect_node {
		char *name;
		struct suspect_times {
			uint32_t compared;	/* runs */
			uint32_t n, cap;
			struct suspect_time {	/* in which it was slow */
				int64_t first, last;	/* of the run, microseconds */
				uint64_t place;		/* of the node, among whom, what program */
				float by;
			} *time;
		} of[SLOW_MEASURES];
	} *node;
	size_t n, cap;
	struct map by_name;
	uint64_t compared[SLOW_MEASURES], slow[SLOW_MEASURES];	/* of all nodes */
	uint64_t runs;		/* of nodes that were compared by any */
};

struct suspect {
	const char *node;
	size_t measure;
	double by;		/* the median of the runs in which it was slow */
	uint32_t slow, compared;	/* runs */
	int64_t since, until;	/* from the first of them to the last */
	double chance;		/* of that many, or more */
};

void suspects_add(struct suspects *s, const struct run_row *row, int64_t first, int64_t last);

/* Adds them to an array that the caller frees, those beyond chance by most first. */
size_t suspects_find(const struct suspects *s, struct suspect **ret);
void suspects_free(struct suspects *s);
