/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.h - what was recorded over all of its time: pages of one file, columns of several */
#pragma once

#include "monitor/view.h"

struct run {
	struct moments from;
	struct stats *of[VMS_NODES_MAX];	/* per node; NULL: it has no moment */
	char *host[VMS_NODES_MAX];		/* as it was known while it was there */
	int64_t boot[VMS_NODES_MAX];		/* system time; 0: not known */
};

struct stats *run_stats(struct run *r, uint8_t index);	/* made where there are none */
void run_close(struct run *r);

/* Tables of each class, node by node. */
void summary_put_one(struct buf *b, const struct run *r, const struct view *view);
/* A column per file and node, or with by_node per node: averages, and what the columns say. */
void summary_put_many(struct buf *b, const struct run *r, size_t n, const struct view *view,
		      bool by_node);
