/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.c - compute rates per second from successive readings of counters */
#include "formats/line/rates.h"

#include <stdlib.h>
#include "base/buf.h"
#include "base/vec.h"

/* largest number of stored counters; further counters get no rates */
#define COUNTERS_MAX (1u << 18)

void rates_free(struct rates *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->rate[i].name);
	free(r->rate);
	map_free(&r->by_name);
}

static struct rates_reading *rates_find(struct rates *r, struct str name)
{
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&r->by_name, hash, at));)
		if (str_eq(name, str_of(r->rate[at->value.n].name)))
			return &r->rate[at->value.n];
	if (r->n == COUNTERS_MAX)
		return NULL;
	r->rate = vec_reserve(r->rate, &r->cap, r->n + 1, sizeof(*r->rate));
	map_add(&r->by_name, hash, (union map_value){ .n = r->n });
	r->rate[r->n] = (struct rates_reading){ .name = xstrdup(name) };
	return &r->rate[r->n++];
}

bool rates_take(struct rates *r, struct str name, int64_t usec, double value, double *per_second)
{
	struct rates_reading *known = rates_find(r, name);
	if (!known)
		return false;
	bool good = known->usec && usec > known->usec && value >= known->value;
	if (good)
		*per_second = (value - known->value) / ((double)(usec - known->usec) / 1e6);
	known->usec = usec;
	known->value = value;
	return good;
}
