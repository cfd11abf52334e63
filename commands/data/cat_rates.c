/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_rates.c - convert the counters of a host's records to rates, or keep a row per period */
#include "data/cat_rates.h"

#include <stdlib.h>
#include "base/map.h"
#include "base/vec.h"
#include "schema/unfold.h"

/* Latest reading of a counter. */
struct rates_reading {
	uint64_t value;
	double real;
	/* .since: start of counting; .usec: time of the reading, 0 if there is none */
	int64_t since, usec;
};

struct rated_device {
	char *type, *name;
	size_t n_keys;
	struct rates_reading *reading;
	int64_t period;		/* number of the latest row's period; INT64_MIN at first */
};

struct cat_rates {
	struct rates_how how;
	struct unfold *unfold;
	struct rated_device *device;
	size_t n, cap;
	struct map by_name;

	/* The record that cat_rates_of() returns. */
	struct record record;
	struct record_rows *rows;
	struct record_row *row;
	uint64_t *value, *present;
	double *real;
	size_t cap_rows, cap_row, cap_value, cap_present, cap_real;
};

struct cat_rates *cat_rates_new(const struct rates_how *how,
				bool (*wants)(void *arg, struct str type), void *arg)
{
	struct cat_rates *r = xrealloc(NULL, sizeof(*r));
	*r = (struct cat_rates){ .how = *how, .unfold = unfold_new(wants, arg) };
	return r;
}

void cat_rates_free(struct cat_rates *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		free(r->device[i].type);
		free(r->device[i].name);
		free(r->device[i].reading);
	}
	unfold_free(r->unfold);
	free(r->device);
	map_free(&r->by_name);
	free(r->rows);
	free(r->row);
	free(r->value);
	free(r->present);
	free(r->real);
	free(r);
}

static struct rated_device *rates_device_of(struct cat_rates *r, const struct record_type *type,
					    struct str name)
{
	uint64_t hash = map_hash(name) ^ str_hash(str_of(type->name));
	for (struct map_slot *at = NULL; (at = map_next(&r->by_name, hash, at)); ) {
		struct rated_device *d = &r->device[at->value.n];
		if (str_eq(str_of(d->name), name) && strcmp(d->type, type->name) == 0 &&
		    d->n_keys == type->n_keys)
			return d;
	}
	map_add(&r->by_name, hash, (union map_value){ .n = r->n });
	r->device = vec_reserve(r->device, &r->cap, r->n + 1, sizeof(*r->device));
	struct rated_device *d = &r->device[r->n++];
	size_t bytes = type->n_keys * sizeof(*d->reading);
	*d = (struct rated_device){ xstrdup(str_of(type->name)), xstrdup(name), type->n_keys,
				    xrealloc(NULL, bytes), INT64_MIN };
	memset(d->reading, 0, bytes);
	return d;
}

/* Compute the rate of a counter between readings a and b. Returns false if it is unknown. */
static bool rates_rate_between(const struct rates_reading *a, const struct rates_reading *b,
			       bool real,
			       double *ret)
{
	if (!a->usec || a->since != b->since || b->usec <= a->usec)
		return false;
	if (real ? b->real < a->real : b->value < a->value)
		return false;
	double n = real ? b->real - a->real : (double)(b->value - a->value);
	*ret = n * 1e6 / (double)(b->usec - a->usec);
	return true;
}

/* Get the rate of a counter, or the value of another key. Returns false if it is unknown. */
static bool value_of_key(struct rates_reading *before, const struct record_row *row, size_t k,
			 enum metric_kind kind, int64_t usec, double *ret)
{
	struct rates_reading now = {
		.value = row->value[k], .real = row->real ? row->real[k] : 0,
		.since = row->since ? row->since[k] : 0, .usec = usec,
	};
	bool known = true;
	if (!row_has(row, k))
		return false;
	if (kind == COUNTER)
		known = rates_rate_between(before, &now, row->real != NULL, ret);
	else
		*ret = row->real ? now.real : (double)now.value;
	*before = now;
	return known;
}

/* Make a row of rates. Its values start at index `at`. Returns false if the row has no value. */
static bool rate_row(struct cat_rates *r, struct rated_device *d, const struct record_type *type,
		     const struct record_row *from, size_t at)
{
	uint64_t *present = r->present + at;
	size_t n = 0;
	memset(present, 0, type->n_keys * sizeof(*present));
	for (size_t k = 0; k < type->n_keys; k++) {
		double v = 0;
		if (!value_of_key(&d->reading[k], from, k, type->key[k].kind, r->record.usec, &v))
			continue;
		bool gauge = type->key[k].kind != COUNTER;
		present[k / 64] |= (uint64_t)1 << k % 64;
		r->real[at + k] = v;
		r->value[at + k] = gauge ? from->value[k] :
				   v < 1e19 ? (uint64_t)(v + .5) : UINT64_MAX;
		n++;
	}
	r->row[r->record.n_rows] = (struct record_row){
		.device = from->device, .value = r->value + at, .real = r->real + at,
		.present = present,
	};
	return n > 0;
}

static bool is_first_of_period(const struct cat_rates *r, struct rated_device *d)
{
	int64_t n = r->how.period_us, usec = r->record.usec;
	int64_t period = n ? usec / n - (usec % n < 0) : 0;
	bool first = !n || period != d->period;
	d->period = period;
	return first;
}

/* Add a row to the record that cat_rates_of() returns. Returns false if the row was left out. */
static bool rates_put_row(struct cat_rates *r, const struct record_type *type,
			  const struct record_row *from,
			  size_t at)
{
	struct rated_device *d = rates_device_of(r, type, from->device);
	if (!is_first_of_period(r, d))
		return false;
	if (r->how.per_second)
		return rate_row(r, d, type, from, at);
	r->row[r->record.n_rows] = *from;
	return true;
}

static void rates_make_room(struct cat_rates *r, const struct record *u)
{
	size_t values = 0;
	for (size_t i = 0; i < u->n_types; i++)
		values += u->rows[i].n * u->rows[i].type->n_keys;
	r->rows = vec_reserve(r->rows, &r->cap_rows, u->n_types, sizeof(*r->rows));
	r->row = vec_reserve(r->row, &r->cap_row, u->n_rows, sizeof(*r->row));
	r->value = vec_reserve(r->value, &r->cap_value, values, sizeof(*r->value));
	r->real = vec_reserve(r->real, &r->cap_real, values, sizeof(*r->real));
	r->present = vec_reserve(r->present, &r->cap_present, values, sizeof(*r->present));
}

const struct record *cat_rates_of(struct cat_rates *r, const struct record *g,
			      const struct record_source *source)
{
	const struct record *u = r->how.per_second ? unfold(r->unfold, g, source) : g;
	size_t at = 0;
	rates_make_room(r, u);
	r->record = *u;
	r->record.rows = r->rows;
	r->record.n_types = r->record.n_rows = 0;
	for (size_t i = 0; i < u->n_types; i++) {
		const struct record_rows *from = &u->rows[i];
		size_t first = r->record.n_rows;
		for (size_t k = 0; k < from->n; k++, at += from->type->n_keys)
			r->record.n_rows += rates_put_row(r, from->type, &from->row[k], at);
		if (r->record.n_rows > first)
			r->rows[r->record.n_types++] = (struct record_rows){
				from->type, r->row + first, r->record.n_rows - first,
			};
	}
	return &r->record;
}
