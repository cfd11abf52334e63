/* SPDX-License-Identifier: BSD-3-Clause */
/* part_sums.c - sum up counters of parts that come and go: disks, servers, connections */
#include "collectors/part_sums.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

void part_table_free(struct part_table *t)
{
	free(t->part);
	free(t->value);
	*t = (struct part_table){ .width = t->width };
}

static uint64_t *part_add(struct part_table *t, uint64_t id)
{
	size_t cap = t->cap, bytes = t->width * sizeof(*t->value);
	t->part = vec_reserve(t->part, &t->cap, t->n + 1, sizeof(*t->part));
	if (t->cap != cap)
		t->value = xrealloc(t->value, t->cap * bytes);
	t->part[t->n] = (struct part_id){ id, true };
	return memset(t->value + t->n++ * t->width, 0, bytes);
}

size_t part_table_find(const struct part_table *t, uint64_t id, size_t i)
{
	if (i < t->n && t->part[i].id == id)
		return i;
	for (i = 0; i < t->n && t->part[i].id != id; i++)
		;
	return i;
}

uint64_t *part_table_see(struct part_table *t, uint64_t id, size_t i)
{
	i = part_table_find(t, id, i);
	if (i == t->n)
		return part_add(t, id);
	t->part[i].seen = true;
	return t->value + i * t->width;
}

bool part_table_has_seen(const struct part_table *t, uint64_t id, size_t i)
{
	i = part_table_find(t, id, i);
	return i < t->n && t->part[i].seen;
}

void part_table_forget_unseen(struct part_table *t)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (!t->part[i].seen)
			continue;
		if (kept < i)
			memcpy(t->value + kept * t->width, t->value + i * t->width,
			       t->width * sizeof(*t->value));
		t->part[kept++] = (struct part_id){ t->part[i].id, false };
	}
	t->n = kept;
}
