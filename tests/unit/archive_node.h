/* SPDX-License-Identifier: BSD-3-Clause */
/* archive_node.h - open and lock the folder of node n1 in a temporary archive, for one test */
#pragma once

#include "archive/archive.h"
#include "tests/unit/tree.h"

#define GROUP(time) "\n" time " -\ncpu 0 1 2\nnodometer - 5 6 2 0 0\n"

struct node {
	struct tree tree;
	struct archive a;
};

static inline void node_open(struct node *n)
{
	tree_make(&n->tree);
	assert_int_equal(archive_open(&n->a, n->tree.path, "n1"), 0);
	assert_int_equal(archive_lock(&n->a, 1000), 0);
}

static inline void node_free(struct node *n)	/* function for CLEANUP() */
{
	archive_close(&n->a);
	tree_free(&n->tree);
}
