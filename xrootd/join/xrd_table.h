/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_table.h - a hash table that knows what in it was not touched for longest */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "tracers/xrootd/join/holders.h"

/* The first member of what is kept; its owner allocates and frees it. */
struct xrd_entry {
	struct xrd_entry *older, *newer;
	uint64_t id;
	int64_t touched;
	uint32_t server;
	uint32_t bytes;		/* all that it costs */
	uint16_t holder;	/* whose share it is of */
	uint8_t kind;
	bool gone;
};

/* All zero but .holders is a valid empty one. */
struct xrd_table {
	struct holders *holders;
	struct map map;
	size_t bytes;		/* of all entries, and of the map */
};

struct xrd_entry *xrd_table_find(const struct xrd_table *t, uint32_t server, int kind,
				 uint64_t id);
void xrd_table_add(struct xrd_table *t, struct xrd_entry *e);	/* as the newest */
void xrd_table_remove(struct xrd_table *t, struct xrd_entry *e);
void xrd_table_touch(struct xrd_table *t, struct xrd_entry *e, int64_t now);
void xrd_table_retire(struct xrd_table *t, struct xrd_entry *e, int64_t now);

/* Memory for malloc(n): a word before it, and no odd number of words (glibc's, of 64 bits). */
static inline size_t xrd_cost(size_t n)
{
	return n <= 24 ? 32 : (n + 8 + 15) & ~(size_t)15;
}

/* The entry has, or no longer has, another n bytes of its own. */
void xrd_table_grow(struct xrd_table *t, struct xrd_entry *e, size_t n);
void xrd_table_shrink(struct xrd_table *t, struct xrd_entry *e, size_t n);

void xrd_table_free(struct xrd_table *t);	/* of nothing but its own memory */
