/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.h - summarize recordings: pages for one file, tables of averages for several files */
#pragma once

#include "openvms/view.h"

/* A node of an input, with its latest description and its statistics. */
struct monitor_node {
	uint8_t index;			/* index of the node in the input */
	bool here;			/* false: the node left; its index may be reused */
	struct vms_node facts;
	struct stats stats;
};

#define RUN_NODES_MAX 1024

/* An input and its nodes. All zero is a valid start. */
struct monitor_run {
	struct moments from;
	/* sorted by index, then by first appearance */
	struct monitor_node **node;
	size_t n_nodes, cap_nodes;
	struct monitor_node *at[VMS_NODES_MAX];	/* nodes by their present index; NULL: none */
	bool full;			/* too many nodes: further ones are left out */
};

/*
 * Return the node of the newest sample, and add the node if it is new. Returns NULL if there are
 * too many nodes.
 */
struct monitor_node *run_node_of_moment(struct monitor_run *r);
/* Update the description of node .from.index. Returns true if another node has taken the index. */
bool run_take_node(struct monitor_run *r);
void run_lose_node(struct monitor_run *r);
void run_close(struct monitor_run *r);

/* For each node, append tables of all classes except PROCESSES, or bars if view asks for bars. */
void summary_put_one(struct buf *b, const struct monitor_run *r, const struct view *view);
/*
 * Append tables with a column for each node of each file or, if by_node is set, for each node.
 * Cells are averages; the last columns are the average, minimum and maximum of the row. Leaves out
 * classes PROCESSES and CLUSTER.
 */
void summary_put_many(struct buf *b, const struct monitor_run *r, size_t n, const struct view *view,
		      bool by_node);
