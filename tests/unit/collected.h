/* SPDX-License-Identifier: BSD-3-Clause */
/* collected.h - a captured tree that one collector reads */
#pragma once

#include <string.h>
#include "collectors/collector.h"
#include "tests/unit/tree.h"

struct node {
	struct tree tree;
	struct files root;
	struct source s;
	const struct collector *c;
};

static inline void node_make(struct node *n, const char *type)
{
	tree_make(&n->tree);
	assert_int_equal(files_open_root(&n->root, n->tree.path), 0);
	n->c = collector_find(type);
	assert_non_null(n->c);
	source_init(&n->s, &n->root, n->c->type->metrics, n->c->type->n_metrics);
	n->s.data = n->c->data;
}

static inline void node_free(struct node *n)	/* function for CLEANUP() */
{
	source_free(&n->s);
	files_free(&n->root);
	tree_free(&n->tree);
}

static inline void node_remove(const struct node *n, const char *path)
{
	char full[256];
	snprintf(full, sizeof(full), "%s/%s", n->tree.path, path);
	assert_int_equal(nftw(full, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void node_put(const struct node *n, const char *path, const char *text)
{
	tree_put(&n->tree, path, str_of(text));
}

/*
 * Take a sample. Returns the value of `key` in its only row, or UINT64_MAX if the row lacks the
 * key.
 */
static inline uint64_t node_read(struct node *n, bool rescan, const char *key)
{
	size_t k = 0;
	n->s.rescan = rescan;
	source_clear(&n->s);
	assert_int_equal(n->c->collect(&n->s), 0);
	n->s.rescan = false;
	assert_int_equal(n->s.rows.n, 1);
	while (strcmp(n->s.rows.metrics[k].name, key) != 0)
		k++;
	return rows_present(&n->s.rows, 0)[k / 64] >> k % 64 & 1 ? rows_values(&n->s.rows, 0)[k] :
								UINT64_MAX;
}
