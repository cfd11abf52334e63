/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.h - what the runs of each user, account, node... used together */
#pragma once

#include "report/jobs/print_jobs.h"

/* Runs are put together by these. */
enum group_by {
	GROUP_NONE, GROUP_USER, GROUP_ACCOUNT, GROUP_PARTITION, GROUP_NAME, GROUP_NODE,
	GROUP_PROGRAM, GROUP_BYS,
};
extern const char *const group_names[GROUP_BYS];

/* Sums over the runs, or over their parts on one node. Where one is not known, it is in none. */
struct group {
	const char *name;	/* "": not known */
	size_t runs;
	size_t unread;		/* runs of which no sample was read */
	double node_hours;
	double cpus, cpus_of, gpus, gpus_of;	/* hours of them: that worked, and were given */
	double unused, unused_of;	/* hours of nodes, and of those where it is known */
	double joules;		/* shares of runs; 0: nothing is known */
	struct bill cost;	/* of these joules, where .joules is not 0 */
	size_t found[FOUND_MAX];	/* runs with this finding of finding_rules[] */
	struct group_value {
		double n, weight;	/* .weight 0: not known */
		enum derived_bound bound;
	} *value;		/* of each figure that is asked for */
	double order;
};
struct groups {
	enum group_by by;
	struct group *group;
	size_t n, cap;
	struct map by_name;
};

/*
 * Figures that count are added, of peaks and limits the largest is taken, of others the mean, in
 * which each run is weighted by the hours of its nodes.
 */
void groups_add(struct groups *g, const struct jobs_table *t, const struct listed_job *j,
		const struct sacct_job *a);
/* The most unused hours first; by a figure of the table, or by .node_hours. */
enum group_order { ORDER_UNUSED, ORDER_HOURS, ORDER_NAME, ORDER_FIGURE };
void groups_sort(struct groups *g, enum group_order order, size_t figure);

/* The table for people: these columns, then one for each figure of the table. */
enum { GROUP_COLUMNS = 8 };
extern const struct group_column {
	const char *title;	/* of the first: what they are groups of */
	int width;		/* negative: to the left; 0: the last */
} group_columns[GROUP_COLUMNS];
void groups_put_row(void *arg, void (*put)(void *arg, size_t column, const char *text),
		    const struct jobs_table *t, const struct group *one);

void groups_put_head(struct buf *b, const struct jobs_table *t, const struct groups *g);
void groups_put(struct buf *b, const struct jobs_table *t, const struct groups *g,
		const struct group *one);
void groups_free(struct groups *g);
