/* SPDX-License-Identifier: BSD-3-Clause */
/* since_last.c - what counters of rows that come and go counted since the sample before */
#include "schema/since_last.h"

#include <stdlib.h>
#include "base/vec.h"

void since_last_begin(struct since_last *s)
{
	s->sample++;
}

#define NAMES_MAX 65536

/* Names are known by 64 bits of a hash: no two of a node's have the same. NULL: too many. */
static struct last_value *find(struct since_last *s, struct str name)
{
	uint64_t hash = map_hash(name);
	struct map_slot *at = map_next(&s->by_name, hash, NULL);
	if (at)
		return &s->last[at->value.n];
	if (s->n == NAMES_MAX)
		return NULL;
	s->last = vec_reserve(s->last, &s->cap, s->n + 1, sizeof(*s->last));
	s->last[s->n] = (struct last_value){ 0, 0 };
	map_add(&s->by_name, hash, (union map_value){ .n = s->n });
	return &s->last[s->n++];
}

bool since_last_take(struct since_last *s, struct str name, uint64_t value, uint64_t *ret)
{
	struct last_value *last = find(s, name), was;

	if (!last)
		return false;
	was = *last;
	*last = (struct last_value){ value, s->sample };
	*ret = value - was.value;
	return s->sample > 1 && value >= was.value &&
	       (was.sample == 0 || was.sample + 1 == s->sample);
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
