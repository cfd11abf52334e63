/* SPDX-License-Identifier: BSD-3-Clause */
/* unfold.c - records whose counters only grow: wraps are added up, and resets are marked */
#include "schema/unfold.h"

#include <errno.h>
#include <stdlib.h>
#include "base/map.h"
#include "base/vec.h"
#include "schema/boot.h"
#include "schema/delta.h"

#define DEVICES_MAX (1u << 18)	/* of one type; more are not unfolded but left out */

struct reading {
	uint64_t last, base;	/* the reading, and the wraps before it */
	int64_t since;
	int64_t low_us;		/* TIME of a reading that went back, 0: none waits */
};

struct device {
	char *name;
	struct reading *reading;	/* for each key */
	bool seen;
};

struct unfolded_type {
	char *name;
	bool wanted;
	size_t n_keys;
	struct device *device;
	size_t n, cap, next;	/* .next: the one that the next row is likely to be of */
	struct map by_name;
	const struct record_type *layout;	/* the one that was seen last, */
	uint64_t signature;	/* and which keys it has, in which order */
	bool drops;		/* some keys: a bit for each of them */
	uint64_t dropped[RECORD_KEYS_MAX / 64];
};

struct unfold {
	bool (*wants)(void *arg, struct str type);
	bool (*drops)(void *arg, struct str type, struct str key);	/* or NULL */
	void *arg;
	struct unfolded_type **type;
	size_t n_types, cap_types;
	struct boot boot;
	bool begins_job;

	/* The record that is handed out. */
	struct record record;
	struct record_rows *rows;
	struct record_row *row;
	uint64_t *value, *present;
	int64_t *since;
	size_t cap_rows, cap_row, cap_value, cap_present, cap_since;
};

struct unfold *unfold_new(bool (*wants)(void *arg, struct str type), void *arg)
{
	struct unfold *u = xrealloc(NULL, sizeof(*u));
	*u = (struct unfold){ .wants = wants, .arg = arg };
	return u;
}

void unfold_drop(struct unfold *u, bool (*drops)(void *arg, struct str type, struct str key))
{
	u->drops = drops;
}

static void drop_devices(struct unfolded_type *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->device[i].name);
		free(t->device[i].reading);
	}
	t->n = t->next = 0;
	map_clear(&t->by_name);
}

static void drop_types(struct unfold *u)
{
	for (size_t i = 0; i < u->n_types; i++) {
		drop_devices(u->type[i]);
		free(u->type[i]->device);
		map_free(&u->type[i]->by_name);
		free(u->type[i]->name);
		free(u->type[i]);
	}
	u->n_types = 0;
	boot_end(&u->boot);
	u->boot = (struct boot){ .usec = 0 };
}

void unfold_free(struct unfold *u)
{
	if (!u)
		return;
	drop_types(u);
	free(u->type);
	free(u->rows);
	free(u->row);
	free(u->value);
	free(u->present);
	free(u->since);
	free(u);
}

static struct unfolded_type *type_of(struct unfold *u, struct str name, size_t n_keys)
{
	for (size_t i = 0; i < u->n_types; i++)
		if (str_eq(name, str_of(u->type[i]->name)))
			return u->type[i];
	struct unfolded_type *t = xrealloc(NULL, sizeof(*t));
	*t = (struct unfolded_type){ .name = xstrdup(name), .n_keys = n_keys,
				     .wanted = u->wants(u->arg, name) };
	u->type = vec_reserve(u->type, &u->cap_types, u->n_types + 1, sizeof(*u->type));
	u->type[u->n_types++] = t;
	return t;
}

static uint64_t signature_of(const struct record_type *t)
{
	uint64_t h = t->n_keys;
	for (size_t k = 0; k < t->n_keys; k++)
		h = h * 31 + str_hash(str_of(t->key[k].name)) + t->key[k].bits;
	return h;
}

static void find_dropped(const struct unfold *u, struct unfolded_type *t,
			 const struct record_type *layout)
{
	memset(t->dropped, 0, sizeof(t->dropped));
	t->drops = false;
	for (size_t k = 0; u->drops && k < layout->n_keys; k++)
		if (u->drops(u->arg, str_of(t->name), str_of(layout->key[k].name))) {
			t->dropped[k / 64] |= (uint64_t)1 << k % 64;
			t->drops = true;
		}
}

/* Other keys stand elsewhere: what was known of them counts from its first reading again. */
static void fit_layout(const struct unfold *u, struct unfolded_type *t,
		       const struct record_type *layout)
{
	if (t->layout == layout)
		return;
	find_dropped(u, t, layout);
	uint64_t signature = signature_of(layout);
	if (t->signature != signature || t->n_keys != layout->n_keys)
		drop_devices(t);
	t->n_keys = layout->n_keys;
	t->signature = signature;
	t->layout = layout;
}

static struct device *add_device(struct unfolded_type *t, struct str name, uint64_t hash)
{
	if (t->n == DEVICES_MAX)
		return NULL;
	t->device = vec_reserve(t->device, &t->cap, t->n + 1, sizeof(*t->device));
	struct device *d = &t->device[t->n];
	size_t bytes = t->n_keys * sizeof(*d->reading);
	*d = (struct device){ .name = xstrdup(name), .reading = xrealloc(NULL, bytes) };
	memset(d->reading, 0, bytes);
	map_add(&t->by_name, hash, (union map_value){ .n = t->n });
	t->n++;
	return d;
}

static struct device *device_of(struct unfolded_type *t, struct str name)
{
	if (t->next < t->n && str_eq(name, str_of(t->device[t->next].name)))
		return &t->device[t->next++];
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&t->by_name, hash, at));)
		if (str_eq(name, str_of(t->device[at->value.n].name))) {
			t->next = at->value.n + 1;
			return &t->device[at->value.n];
		}
	return add_device(t, name, hash);
}

/* The next reading: whether *value is known, which then is what it is unfolded. */
static bool follow(const struct unfold *u, struct reading *x, unsigned bits, uint64_t *value)
{
	uint64_t n, reading = *value;
	int64_t usec = u->record.usec;
	if (x->since == 0) {
		x->since = usec;
	} else if (u->begins_job && delta_was_set_to_0(x->last, reading, bits)) {
		*x = (struct reading){ .since = usec };
	} else if (reading < x->last && delta_wraps(x->last, reading, bits, &n)) {
		x->base += (uint64_t)1 << bits;
	} else if (reading < x->last && !x->low_us) {
		x->low_us = usec;
		return false;
	} else if (reading < x->last) {
		*x = (struct reading){ .since = x->low_us };
	}
	x->last = reading;
	x->low_us = 0;
	*value = x->base + reading;
	return true;
}

/* Begins a row of its own: values, times, and which of them are there. */
static void put_row(struct unfold *u, const struct unfolded_type *t, struct device *d,
		    const struct record_row *from, size_t at)
{
	const struct record_type *type = t->layout;
	size_t n = type->n_keys, words = (n + 63) / 64;
	struct record_row *to = &u->row[u->record.n_rows++];
	uint64_t *value = u->value + at, *present = u->present + at;
	int64_t *since = u->since + at;
	*to = (struct record_row){ from->device, value, from->real, present, since };
	memcpy(value, from->value, n * sizeof(*value));
	memset(present, 0, words * sizeof(*present));
	for (size_t k = 0; k < n; k++) {
		bool has = row_has(from, k);
		if (has && type->key[k].kind == COUNTER && !from->real)
			has = follow(u, &d->reading[k], type->key[k].bits, &value[k]);
		since[k] = d->reading[k].since;
		present[k / 64] |= (uint64_t)has << k % 64;
	}
	for (size_t i = 0; i < words; i++)
		present[i] &= ~t->dropped[i];
}

static bool has_counters(const struct record_type *t)
{
	for (size_t k = 0; k < t->n_keys; k++)
		if (t->key[k].kind == COUNTER)
			return true;
	return false;
}

/* Puts a type's rows into the record; their values begin at this place. */
static void put_type(struct unfold *u, struct unfolded_type *t, const struct record_rows *from,
		     size_t at)
{
	size_t first = u->record.n_rows;
	bool counts = has_counters(from->type);
	fit_layout(u, t, from->type);
	t->next = 0;
	for (size_t i = 0; i < from->n; i++, at += from->type->n_keys) {
		const struct record_row *row = &from->row[i];
		bool copied = t->drops || (counts && !row->real);
		struct device *d = copied ? device_of(t, row->device) : NULL;
		if (d)
			put_row(u, t, d, row, at);
		else if (!copied)
			u->row[u->record.n_rows++] = *row;
		if (d)
			d->seen = true;
	}
	if (u->record.n_rows > first)
		u->rows[u->record.n_types++] = (struct record_rows){
			from->type, u->row + first, u->record.n_rows - first,
		};
}

static void make_room(struct unfold *u, const struct record *r)
{
	size_t values = 0;
	for (size_t i = 0; i < r->n_types; i++)
		values += r->rows[i].n * r->rows[i].type->n_keys;
	u->rows = vec_reserve(u->rows, &u->cap_rows, r->n_types, sizeof(*u->rows));
	u->row = vec_reserve(u->row, &u->cap_row, r->n_rows, sizeof(*u->row));
	u->value = vec_reserve(u->value, &u->cap_value, values, sizeof(*u->value));
	u->present = vec_reserve(u->present, &u->cap_present, values, sizeof(*u->present));
	u->since = vec_reserve(u->since, &u->cap_since, values, sizeof(*u->since));
}

/* All count from 0 since the node was booted, at the latest by this record. */
static void begin_again(struct unfold *u, const struct record *r)
{
	for (size_t i = 0; i < u->n_types; i++)
		for (size_t d = 0; d < u->type[i]->n; d++)
			for (size_t k = 0; k < u->type[i]->n_keys; k++) {
				struct reading *x = &u->type[i]->device[d].reading[k];
				if (x->since)
					*x = (struct reading){ .since = r->usec };
			}
}

const struct record *unfold(struct unfold *u, const struct record *r,
			    const struct record_source *source)
{
	size_t at = 0;
	if (boot_take(&u->boot, r, source))
		begin_again(u, r);
	make_room(u, r);
	u->record = *r;
	u->begins_job = record_begins_job(r);
	u->record.rows = u->rows;
	u->record.n_types = u->record.n_rows = 0;
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		struct unfolded_type *t = type_of(u, str_of(rows->type->name),
						  rows->type->n_keys);
		if (t->wanted)
			put_type(u, t, rows, at);
		at += rows->n * rows->type->n_keys;
	}
	return &u->record;
}

void unfold_sweep(struct unfold *u)
{
	for (size_t i = 0; i < u->n_types; i++) {
		struct unfolded_type *t = u->type[i];
		size_t left = 0;
		map_clear(&t->by_name);
		for (size_t d = 0; d < t->n; d++) {
			if (!t->device[d].seen) {
				free(t->device[d].name);
				free(t->device[d].reading);
				continue;
			}
			t->device[left] = t->device[d];
			t->device[left].seen = false;
			map_add(&t->by_name, map_hash(str_of(t->device[left].name)),
				(union map_value){ .n = left });
			left++;
		}
		t->n = left;
		t->next = 0;
		t->layout = NULL;
	}
}

static void put_device(const struct unfolded_type *t, const struct device *d, struct buf *to)
{
	buf_addf(to, "device %s\n", d->name);
	for (size_t k = 0; k < t->n_keys; k++) {
		const struct reading *x = &d->reading[k];
		if (x->since)
			buf_addf(to, "%zu %llu %llu %lld %lld\n", k, (unsigned long long)x->last,
				 (unsigned long long)x->base, (long long)x->since,
				 (long long)x->low_us);
	}
}

void unfold_put(const struct unfold *u, struct buf *to)
{
	buf_addf(to, "boot " STR_FMT "\nup %lld %lld\n", STR_ARG(buf_str(&u->boot.id)),
		 (long long)u->boot.uptime, (long long)u->boot.usec);
	for (size_t i = 0; i < u->n_types; i++) {
		const struct unfolded_type *t = u->type[i];
		buf_addf(to, "type %s %zu %llu\n", t->name, t->n_keys,
			 (unsigned long long)t->signature);
		for (size_t d = 0; d < t->n; d++)
			put_device(t, &t->device[d], to);
	}
	buf_addf(to, "end\n");
}

static bool take_reading(struct unfolded_type *t, struct device *d, struct str line)
{
	uint64_t k, v[4];
	if (!d || !str_take_u64(&line, &k) || k >= t->n_keys)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (!str_take_u64(&line, &v[i]))
			return false;
	if (line.n || v[2] > INT64_MAX || v[3] > INT64_MAX)
		return false;
	d->reading[k] = (struct reading){ v[0], v[1], (int64_t)v[2], (int64_t)v[3] };
	return true;
}

static bool take_type(struct unfold *u, struct str line, struct unfolded_type **t)
{
	struct str name;
	uint64_t n, signature;
	if (!str_take_word(&line, &name) || !str_take_u64(&line, &n) ||
	    !str_take_u64(&line, &signature) || line.n || n > RECORD_KEYS_MAX)
		return false;
	*t = type_of(u, name, n);
	(*t)->signature = signature;
	return (*t)->n_keys == n;
}

/* A file of an older version has no such line: its newest record, and so a boot, is not known. */
static bool take_up(struct boot *b, struct str line)
{
	uint64_t up, usec;
	if (!str_take_u64(&line, &up) || !str_take_u64(&line, &usec) || line.n ||
	    up > INT64_MAX || usec > RECORD_USEC_MAX)
		return false;
	b->uptime = (int64_t)up;
	b->usec = (int64_t)usec;
	return true;
}

static int take_lines(struct unfold *u, struct str text)
{
	struct unfolded_type *t = NULL;
	struct device *d = NULL;
	struct str line;
	while (str_take_line(&text, &line)) {
		bool good;
		if (str_has(line, '\0'))
			return -EBADMSG;
		if (str_eq(line, STR("end")))
			return text.n ? -EBADMSG : 0;
		if (str_take_prefix(&line, STR("boot "))) {
			buf_add(&u->boot.id, line);
			good = true;
		} else if (str_take_prefix(&line, STR("up "))) {
			good = take_up(&u->boot, line);
		} else if (str_take_prefix(&line, STR("type "))) {
			good = take_type(u, line, &t);
		} else if (t && str_take_prefix(&line, STR("device "))) {
			d = device_of(t, line);
			good = d != NULL;
		} else {
			good = take_reading(t, d, line);
		}
		if (!good)
			return -EBADMSG;
	}
	return -EBADMSG;
}

int unfold_take(struct unfold *u, struct str text)
{
	drop_types(u);
	int r = take_lines(u, text);
	if (r < 0)
		drop_types(u);
	return r;
}
