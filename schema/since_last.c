/* SPDX-License-Identifier: BSD-3-Clause */
/* since_last.c - growth of counters since the last sample, for rows that come and go */
#include "schema/since_last.h"

#include <stdlib.h>
#include "base/vec.h"

void since_last_begin(struct since_last *s)
{
	s->sample++;
}

#define NAMES_MAX 65536

/*
 * Find or add the last reading of a counter, by a 64-bit hash of its name; hashes of a node collide
 * too rarely to matter. Returns NULL if there are too many names.
 */
static struct last_value *since_last_find(struct since_last *s, struct str name)
{
	uint64_t hash = map_hash(name);
	struct map_slot *at = map_next(&s->by_name, hash, NULL);
	if (at)
		return &s->last[at->value.n];
	if (s->n == NAMES_MAX)
		return NULL;
	s->last = vec_reserve(s->last, &s->cap, s->n + 1, sizeof(*s->last));
	s->last[s->n] = (struct last_value){ .sample = 0 };
	map_add(&s->by_name, hash, (union map_value){ .n = s->n });
	return &s->last[s->n++];
}

bool since_last_take(struct since_last *s, struct str name, uint64_t value, uint64_t *ret)
{
	struct last_value *last = since_last_find(s, name), was;

	if (!last)
		return false;
	if (last->sample == 0)
		counter_add(&last->counter, 0, 0);
	was = *last;
	counter_add(&last->counter, value, 0);
	last->sample = s->sample;
	*ret = last->counter.total - was.counter.total;
	return s->sample > 1 && (was.sample == 0 || was.sample + 1 == s->sample) &&
	       !last->counter.waiting && last->counter.uneven == was.counter.uneven;
}

void since_last_clear(struct since_last *s)
{
	map_clear(&s->by_name);
	s->n = 0;
	s->sample = 0;
}

void since_last_free(struct since_last *s)
{
	map_free(&s->by_name);
	free(s->last);
}
