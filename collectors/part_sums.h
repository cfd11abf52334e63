/* SPDX-License-Identifier: BSD-3-Clause */
/* part_sums.h - sum up counters of parts that come and go: disks, servers, connections */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sums over parts that come and go. A sum of absolute readings would decrease when a part goes, and
 * a reader would take the decrease for a restart. So the table keeps the last reading of each part,
 * and a sum grows by the growth of its parts. A part that is new or has come back counts from 0.
 *
 * All zero with .width set is a valid empty table; part_table_free() releases it.
 */
struct part_table {
	size_t width;		/* number of values per part */
	size_t n, cap;
	struct part_id {
		uint64_t id;
		bool seen;	/* the part was seen since the last part_table_forget_unseen() */
	} *part;
	uint64_t *value;	/* n rows of .width values */
};

void part_table_free(struct part_table *t);

/*
 * Find a part, or add it with values of 0, and mark it as seen. Looks at index i first. Allocates
 * memory only to add a part. The result is valid until another part is added.
 */
uint64_t *part_table_see(struct part_table *t, uint64_t id, size_t i);

/* Find a part, looking at index i first. Returns its index, or .n if the table lacks the part. */
size_t part_table_find(const struct part_table *t, uint64_t id, size_t i);

/* Returns true if the part was seen since the last part_table_forget_unseen(). */
bool part_table_has_seen(const struct part_table *t, uint64_t id, size_t i);

/* Forget the parts that were not seen since the last call. The remaining parts keep their order. */
void part_table_forget_unseen(struct part_table *t);

/*
 * Get the growth of a part's counter, and store the new reading in *last. A reading of at most half
 * of *last is a restart at 0. A smaller decrease, or a reading of 0, is a dip: the growth is 0 and
 * *last stays as it is.
 */
static inline uint64_t part_growth(uint64_t *last, uint64_t now)
{
	uint64_t before = *last;
	if (now < before && (now == 0 || now > before / 2))
		return 0;
	*last = now;
	return now >= before ? now - before : now;
}
