/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.c - rates and levels of devices at one moment */
#include "top/moment.h"

#include <math.h>
#include <stdlib.h>
#include "base/vec.h"

static uint64_t top_moment_hash_of(const struct top_type *t, struct str name)
{
	return map_hash(name) ^ (uint64_t)(t - top_types) * 0x9e3779b97f4a7c15u;
}

const struct top_device *top_moment_find(const struct top_moment *m, const struct top_type *t,
					 struct str name)
{
	uint64_t hash = top_moment_hash_of(t, name);
	for (struct map_slot *at = NULL; (at = map_next(&m->by_name, hash, at)); ) {
		const struct top_device *d = &m->device[at->value.n];
		if (d->type == t && str_eq(str_of(d->name), name))
			return d;
	}
	return NULL;
}

/*
 * Return the increase of a counter since its last reading, or NAN if it decreased without wrapping.
 */
static double top_moment_counted(struct counter *c, uint64_t reading, unsigned bits)
{
	struct counter before = *c;

	counter_add(c, reading, bits);
	if (c->waiting || c->uneven != before.uneven)
		return NAN;
	return (double)(c->total - before.total);
}

static double value_now(const struct top_moment *m, const struct record_key *key, size_t i,
			struct top_device *d, const struct top_device *before, uint64_t reading)
{
	if (key->kind != COUNTER)
		return (double)reading * d->type->key[i].base;
	if (before)
		d->counter[i] = before->counter[i];
	double n = top_moment_counted(&d->counter[i], reading, key->bits);
	if (!before || !before->has[i] || m->seconds <= 0)
		return NAN;
	return n * d->type->key[i].base / m->seconds;
}

static void top_moment_take_row(struct top_moment *m, const struct top_moment *before,
				const struct top_type *t, const struct record_type *type,
				const struct record_row *row)
{
	struct top_device *d;
	m->device = vec_reserve(m->device, &m->cap, m->n + 1, sizeof(*m->device));
	d = &m->device[m->n];
	*d = (struct top_device){ .type = t, .name = xstrdup(row->device) };
	const struct top_device *old = top_moment_find(before, t, row->device);
	for (size_t i = 0; i < TOP_KEYS && t->key[i].key; i++) {
		int at = record_key_find(type, t->key[i].key);
		d->has[i] = at >= 0 && row_has(row, (size_t)at);
		d->now[i] = d->has[i] ? value_now(m, &type->key[at], i, d, old, row->value[at])
				      : NAN;
	}
	map_add(&m->by_name, top_moment_hash_of(t, row->device), (union map_value){ .n = m->n++ });
}

static void clear(struct top_moment *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->device[i].name);
	m->n = 0;
	map_clear(&m->by_name);
}

void top_moment_take(struct top_moment *m, const struct top_moment *before, const struct record *r)
{
	clear(m);
	m->usec = r->usec;
	m->seconds = before->usec && r->usec > before->usec ?
		     (double)(r->usec - before->usec) / 1e6 : 0;
	for (size_t t = 0; t < n_top_types; t++)
		for (size_t i = 0; i < r->n_types; i++) {
			const struct record_rows *rows = &r->rows[i];
			if (strcmp(rows->type->name, top_types[t].name) != 0)
				continue;
			for (size_t k = 0; k < rows->n; k++)
				top_moment_take_row(m, before, &top_types[t], rows->type,
						    &rows->row[k]);
		}
}

void top_moment_free(struct top_moment *m)
{
	clear(m);
	map_free(&m->by_name);
	free(m->device);
	*m = (struct top_moment){ 0 };
}

double top_moment_sum(const struct top_moment *m, const char *type, const char *key)
{
	const struct top_type *t = top_type_find(type);
	size_t k = top_key_find(t, key), n = 0;
	double sum = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->device[i].type == t && !isnan(m->device[i].now[k])) {
			sum += m->device[i].now[k];
			n++;
		}
	return n ? sum : NAN;
}

size_t top_moment_count(const struct top_moment *m, const char *type)
{
	const struct top_type *t = top_type_find(type);
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		n += m->device[i].type == t;
	return n;
}
