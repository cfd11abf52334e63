/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.h - sum up a recording over all of its time: pages for one file, columns for several */
#pragma once

#include "openvms/view.h"

/* A node with a moment in the input, and the facts of its last moment. */
struct monitor_node {
	uint8_t index;			/* index, which another node may get after this node left */
	bool here;			/* the node still has the index */
	struct vms_node facts;
	struct stats stats;
};

#define RUN_NODES_MAX 1024

/* All zero is a valid empty run; run_close() releases it. */
struct monitor_run {
	struct moments from;
	/* sorted by index, then by time */
	struct monitor_node **node;
	size_t n_nodes, cap_nodes;
	struct monitor_node *at[VMS_NODES_MAX];	/* node that has this index now, or NULL */
	bool full;			/* there were more nodes than RUN_NODES_MAX */
};

/*
 * Return the node of the newest moment. Add it if it is new. Returns NULL if there are too many
 * nodes.
 */
struct monitor_node *run_node_of_moment(struct monitor_run *r);
/* Update the facts of a node. Returns true if another node has the index now. */
bool run_take_node(struct monitor_run *r);
void run_lose_node(struct monitor_run *r);
void run_close(struct monitor_run *r);

/* Append tables of each class, node by node. */
void summary_put_one(struct buf *b, const struct monitor_run *r, const struct view *view);
/*
 * Append tables with averages of the columns and statistics of the rows. The tables have a column
 * for each node of each file, or, if by_node is set, a column for each node.
 */
void summary_put_many(struct buf *b, const struct monitor_run *r, size_t n, const struct view *view,
		      bool by_node);
