/* SPDX-License-Identifier: BSD-3-Clause */
/* part_sums.h - sum up counters of parts that come and go: disks, servers, connections */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sums of counters over parts that come and go, such as the connections of a mount. The table keeps
 * the last reading of each part, and adds only its growth, so a sum never decreases: readers would
 * take a decrease for a restart. The first reading of a part that is new or has come back is added
 * in full. All zero with .width set is a valid empty table; part_table_free() releases it.
 */
struct part_table {
	size_t width;		/* number of values per part */
	size_t n, cap;
	struct part_id {
		uint64_t id;
		bool seen;	/* seen since the last part_table_forget_unseen() */
	} *part;
	uint64_t *value;	/* .width values for each part */
};

void part_table_free(struct part_table *t);

/*
 * Find a part, probably at index i, or add it with values of 0; and mark it as seen. Returns the
 * part's values, valid until another part is added or removed.
 */
uint64_t *part_table_see(struct part_table *t, uint64_t id, size_t i);

/* Find a part, probably at index i. Returns its index, or .n if there is none. */
size_t part_table_find(const struct part_table *t, uint64_t id, size_t i);

/* Returns true if the part was seen since the last part_table_forget_unseen(). */
bool part_table_has_seen(const struct part_table *t, uint64_t id, size_t i);

/* Remove the parts that were not seen since the last call, and keep the order of the others. */
void part_table_forget_unseen(struct part_table *t);

/*
 * Get the growth of a counter since *last, and store the new reading `now` in *last. A counter that
 * fell to half or less, but not to 0, has restarted at 0. If the counter fell less than that, or to
 * 0, the growth is 0 and *last stays.
 */
static inline uint64_t part_growth(uint64_t *last, uint64_t now)
{
	uint64_t before = *last;
	if (now < before && (now == 0 || now > before / 2))
		return 0;
	*last = now;
	return now >= before ? now - before : now;
}
