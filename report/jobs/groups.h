/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.h - sum the use of runs per user, account, partition, node or other group */
#pragma once

#include "report/jobs/print_jobs.h"

/* The property by which runs are grouped. */
enum group_by {
	GROUP_NONE, GROUP_USER, GROUP_ACCOUNT, GROUP_PARTITION, GROUP_NAME, GROUP_NODE,
	GROUP_PROGRAM, GROUP_BYS,
};
extern const char *const group_names[GROUP_BYS];

/*
 * Sums over the runs of a group; each sum leaves out the runs whose value is unknown. If runs are
 * grouped by node, each run adds to a node's group only its use of that node, and .value covers
 * only the runs that had no other node.
 */
struct group {
	const char *name;	/* "" for runs without a known user, account or the like */
	size_t runs;
	size_t unread;		/* number of runs without readable samples */
	double node_hours;
	/* CPU hours used and allocated, GPU hours used and allocated */
	double cpus, cpus_of, gpus, gpus_of;
	/* unused node hours (struct job_used), and the node hours for which this is known */
	double unused, unused_of;
	double joules;		/* sum of the runs' shares of energy, in joules; 0 if unknown */
	struct bill cost;	/* cost of .joules; all zero if unknown */
	size_t found[FOUND_MAX];	/* number of runs with each finding of finding_rules[] */
	struct group_value {
		/*
		 * .n: sum, maximum or, for a mean, sum of weighted values. .weight: 0 if the value
		 * is unknown, else the sum of the weights for a mean, and 1 for a sum or maximum.
		 */
		double n, weight;
		enum derived_bound bound;
	} *value;		/* value of each requested figure */
	double order;
};
struct groups {
	enum group_by by;
	struct group *group;
	size_t n, cap;
	struct map by_name;
};

/*
 * Add a run to its group, or to the group of each of its nodes: sum its counters, take the maximum
 * of peaks and limits, and the mean of other figures, weighted by node hours. j->is must be set.
 */
void groups_add(struct groups *g, const struct jobs_table *t, const struct listed_job *j,
		const struct sacct_job *a);
/*
 * Order of groups in groups_sort(): by unused node hours, node hours, name, or a figure of the
 * table. "figure" is the index in .figure of struct jobs_table, for ORDER_FIGURE. Numbers sort in
 * descending order.
 */
enum group_order { ORDER_UNUSED, ORDER_HOURS, ORDER_NAME, ORDER_FIGURE };
void groups_sort(struct groups *g, enum group_order order, size_t figure);

/* Columns of the table for people; a column for each figure of the table follows. */
enum { GROUP_COLUMNS = 8 };
extern const struct group_column {
	const char *title;	/* the first column's title depends on the kind of group */
	int width;		/* negative: left-aligned; 0: the last column */
} group_columns[GROUP_COLUMNS];
/* Pass the text of each column of a group's row to put(), from the first column to the last. */
void groups_put_row(void *arg, void (*put)(void *arg, size_t column, const char *text),
		    const struct jobs_table *t, const struct group *one);

void groups_put_head(struct buf *b, const struct jobs_table *t, const struct groups *g);
void groups_put(struct buf *b, const struct jobs_table *t, const struct groups *g,
		const struct group *one);
void groups_free(struct groups *g);
