/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_table.h - hash table of users and files, which also keeps entries in order of age */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "xrootd/join/holders.h"

/* First member of each entry. The caller allocates and frees entries. */
struct xrd_entry {
	struct xrd_entry *older, *newer;
	uint64_t id;
	int64_t touched;	/* when the entry was last used or retired, in microseconds */
	uint32_t server;
	uint32_t bytes;		/* memory of the entry with its texts, in bytes */
	uint16_t holder;	/* number of the sender that the memory counts for */
	uint8_t kind;
	bool has_ended;		/* the entry has ended, and is kept for late records */
};

/* A hash table of entries. All zero except .holders is a valid empty table. */
struct xrd_table {
	struct holders *holders;
	struct map map;
	size_t bytes;		/* memory of all entries and of the map, in bytes */
};

struct xrd_entry *xrd_table_find(const struct xrd_table *t, uint32_t server, int kind,
				 uint64_t id);
void xrd_table_add(struct xrd_table *t, struct xrd_entry *e);	/* add as the newest entry */
/* Assign an entry to another server. */
void xrd_table_move(struct xrd_table *t, struct xrd_entry *e, uint32_t server);
void xrd_table_remove(struct xrd_table *t, struct xrd_entry *e);
/* Make an entry the newest one in use, or the newest one that has ended. */
void xrd_table_touch(struct xrd_table *t, struct xrd_entry *e, int64_t now);
void xrd_table_retire(struct xrd_table *t, struct xrd_entry *e, int64_t now);

/*
 * Get the memory that malloc(n) really takes (glibc, 64 bits): one more word, rounded up to 16
 * bytes, but at least 32 bytes.
 */
static inline size_t xrd_cost(size_t n)
{
	return n <= 24 ? 32 : (n + 8 + 15) & ~(size_t)15;
}

/* Add an allocation of n bytes to the memory of an entry, or subtract it. */
void xrd_table_grow(struct xrd_table *t, struct xrd_entry *e, size_t n);
void xrd_table_shrink(struct xrd_table *t, struct xrd_entry *e, size_t n);

void xrd_table_free(struct xrd_table *t);	/* free the map, but not the entries */
