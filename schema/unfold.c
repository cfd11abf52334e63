/* SPDX-License-Identifier: BSD-3-Clause */
/* unfold.c - remove wraps from the counters of records, and mark resets */
#include "schema/unfold.h"

#include <errno.h>
#include <stdlib.h>
#include "base/map.h"
#include "base/vec.h"
#include "schema/boot.h"
#include "schema/delta.h"

/* limit of devices of one type; rows of further devices are left out */
#define DEVICES_MAX (1u << 18)

/*
 * State of one counter, with only those members of struct counter (schema/delta.h) that the next
 * reading needs, to save memory.
 */
struct unfold_reading {
	uint64_t value;		/* unfolded value of the counter */
	int64_t since;		/* .since of struct record_row; 0: no reading yet */
	/* time of a low reading that may be a dip or a reset, microseconds; else 0 */
	int64_t low_us;
	uint64_t last, low, high;
	uint8_t stood;
	bool reopened, set;
};

struct unfold_device {
	char *name;
	struct unfold_reading *reading;	/* state of each key */
	bool seen;	/* has had a row since the last unfold_sweep() */
};

struct unfolded_type {
	char *name;
	bool wanted;
	size_t n_keys;
	struct unfold_device *device;
	/* .next: index in .device of the device that is expected in the next row */
	size_t n, cap, next;
	struct map by_name;
	/* schema in the last record, valid until the next header or source; NULL: not known */
	const struct record_type *layout;
	uint64_t signature;	/* hash of the schema's keys and their order */
	bool drops;		/* some keys are left out: those with a bit in .dropped */
	uint64_t dropped[RECORD_KEYS_MAX / 64];
};

struct unfold {
	bool (*wants)(void *arg, struct str type);
	/* returns true to leave out a key; NULL: leave out no key */
	bool (*drops)(void *arg, struct str type, struct str key);
	void *arg;
	struct unfolded_type **type;
	size_t n_types, cap_types;
	const void *source;	/* .arg of the source of the last record */
	struct boot boot;
	bool begins_job;

	/* the record that unfold() returns */
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

static void unfold_drop_devices(struct unfolded_type *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->device[i].name);
		free(t->device[i].reading);
	}
	t->n = t->next = 0;
	map_clear(&t->by_name);
}

static void unfold_drop_types(struct unfold *u)
{
	for (size_t i = 0; i < u->n_types; i++) {
		unfold_drop_devices(u->type[i]);
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
	unfold_drop_types(u);
	free(u->type);
	free(u->rows);
	free(u->row);
	free(u->value);
	free(u->present);
	free(u->since);
	free(u);
}

static struct unfolded_type *unfold_type_of(struct unfold *u, struct str name, size_t n_keys)
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

static uint64_t unfold_signature_of(const struct record_type *t)
{
	uint64_t h = t->n_keys;
	for (size_t k = 0; k < t->n_keys; k++)
		h = h * 31 + str_hash(str_of(t->key[k].name)) + t->key[k].bits;
	return h;
}

static void unfold_find_dropped(const struct unfold *u, struct unfolded_type *t,
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

/*
 * Adapt the state to the schema of a record. If the keys, their order or their widths changed, the
 * state of all devices of the type is dropped.
 */
static void unfold_fit_layout(const struct unfold *u, struct unfolded_type *t,
			      const struct record_type *layout)
{
	if (t->layout == layout)
		return;
	unfold_find_dropped(u, t, layout);
	uint64_t signature = unfold_signature_of(layout);
	if (t->signature != signature || t->n_keys != layout->n_keys)
		unfold_drop_devices(t);
	t->n_keys = layout->n_keys;
	t->signature = signature;
	t->layout = layout;
}

static struct unfold_device *unfold_add_device(struct unfolded_type *t, struct str name,
					       uint64_t hash)
{
	if (t->n == DEVICES_MAX)
		return NULL;
	t->device = vec_reserve(t->device, &t->cap, t->n + 1, sizeof(*t->device));
	struct unfold_device *d = &t->device[t->n];
	size_t bytes = t->n_keys * sizeof(*d->reading);
	*d = (struct unfold_device){ .name = xstrdup(name), .reading = xrealloc(NULL, bytes) };
	memset(d->reading, 0, bytes);
	map_add(&t->by_name, hash, (union map_value){ .n = t->n });
	t->n++;
	return d;
}

static struct unfold_device *unfold_device_of(struct unfolded_type *t, struct str name)
{
	if (t->next < t->n && str_eq(name, str_of(t->device[t->next].name)))
		return &t->device[t->next++];
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&t->by_name, hash, at));)
		if (str_eq(name, str_of(t->device[at->value.n].name))) {
			t->next = at->value.n + 1;
			return &t->device[at->value.n];
		}
	return unfold_add_device(t, name, hash);
}

/*
 * Take *value as the next reading of a counter, and set *value to the unfolded value. Returns false
 * if the unfolded value is not known yet.
 */
static bool unfold_follow(const struct unfold *u, struct unfold_reading *x, unsigned bits,
			  uint64_t *value)
{
	uint64_t reading = *value;
	int64_t usec = u->record.usec;

	if (x->since == 0 || (u->begins_job && delta_was_set_to_0(x->last, reading, bits)))
		*x = (struct unfold_reading){ reading, usec, .last = reading };
	struct counter c = {
		.last = x->last, .low = x->low, .high = x->high, .stood = x->stood,
		.started = true, .waiting = x->low_us != 0, .reopened = x->reopened,
		.set = x->set,
	};
	if (u->record.restart)
		counter_add_other(&c, reading, bits);
	else
		counter_add(&c, reading, bits);
	bool reset = c.steps[DELTA_RESET] > 0, fell = reset || c.steps[DELTA_MISSING] > 0;
	*x = (struct unfold_reading){
		.value = reset ? c.total : x->value + c.total,
		.since = reset ? x->low_us : x->since,
		.low_us = !c.waiting ? 0 : fell || !x->low_us ? usec : x->low_us,
		.last = c.last, .low = c.low, .high = c.high, .stood = c.stood, .set = c.set,
	};
	*value = x->value;
	return !c.waiting;
}

/* Add a row to the returned record: unfolded values, their times, and the mask of known values. */
static void unfold_put_row(struct unfold *u, const struct unfolded_type *t, struct unfold_device *d,
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
			has = unfold_follow(u, &d->reading[k], record_key_bits(type, &type->key[k]),
					    &value[k]);
		since[k] = d->reading[k].since;
		present[k / 64] |= (uint64_t)has << k % 64;
	}
	for (size_t i = 0; i < words; i++)
		present[i] &= ~t->dropped[i];
}

static bool unfold_has_counters(const struct record_type *t)
{
	for (size_t k = 0; k < t->n_keys; k++)
		if (t->key[k].kind == COUNTER)
			return true;
	return false;
}

/* Add the rows of a type to the returned record. at: index in .value of their first value. */
static void unfold_put_type(struct unfold *u, struct unfolded_type *t,
			    const struct record_rows *from,
			    size_t at)
{
	size_t first = u->record.n_rows;
	bool counts = unfold_has_counters(from->type);
	unfold_fit_layout(u, t, from->type);
	t->next = 0;
	for (size_t i = 0; i < from->n; i++, at += from->type->n_keys) {
		const struct record_row *row = &from->row[i];
		bool copied = t->drops || (counts && !row->real);
		struct unfold_device *d = copied ? unfold_device_of(t, row->device) : NULL;
		if (d)
			unfold_put_row(u, t, d, row, at);
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

static void unfold_make_room(struct unfold *u, const struct record *r)
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

/* Note that the counters of a device were 0 at `usec`: their next readings count from 0. */
static void unfold_restart_at_0(const struct unfolded_type *t, struct unfold_device *d,
				int64_t usec)
{
	for (size_t k = 0; k < t->n_keys; k++)
		if (d->reading[k].since)
			d->reading[k] = (struct unfold_reading){ .since = usec };
}

static void unfold_reopen(const struct unfolded_type *t, struct unfold_device *d)
{
	for (size_t k = 0; k < t->n_keys; k++)
		d->reading[k].reopened = true;
}

static void unfold_take_boot(struct unfold *u, const struct record *r)
{
	for (size_t i = 0; i < u->n_types; i++)
		for (size_t d = 0; d < u->type[i]->n; d++)
			unfold_restart_at_0(u->type[i], &u->type[i]->device[d], r->usec);
}

/*
 * Handle a mark of kind MARK_RESTART (nodometer-raw(5)). For types xrootd*, it means that the
 * counters restarted at 0; for other types, that counters were opened again.
 */
static void unfold_take_restart(struct unfold *u, const struct mark *m)
{
	for (size_t i = 0; i < u->n_types; i++) {
		struct unfolded_type *t = u->type[i];
		if (!str_eq(m->subject, str_of(t->name)))
			continue;
		for (size_t n = 0; n < t->n; n++) {
			struct unfold_device *d = &t->device[n];
			if (m->rest.n && !str_has_word(m->rest, str_of(d->name)))
				continue;
			if (str_starts(m->subject, STR("xrootd")))
				unfold_restart_at_0(t, d, u->record.usec);
			else
				unfold_reopen(t, d);
		}
	}
}

static void unfold_take_restarts(struct unfold *u, const struct record *r)
{
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == MARK_RESTART)
			unfold_take_restart(u, &r->mark[i]);
}

/*
 * Forget the pointers to schemas: a new source or header may have another schema at the same
 * address.
 */
static void unfold_forget_layouts(struct unfold *u)
{
	for (size_t i = 0; i < u->n_types; i++)
		u->type[i]->layout = NULL;
}

const struct record *unfold(struct unfold *u, const struct record *r,
			    const struct record_source *source)
{
	size_t at = 0;
	if (r->restart || u->source != source->arg)
		unfold_forget_layouts(u);
	u->source = source->arg;
	if (boot_take(&u->boot, r, source))
		unfold_take_boot(u, r);
	unfold_make_room(u, r);
	u->record = *r;
	unfold_take_restarts(u, r);
	u->begins_job = record_begins_job(r);
	u->record.rows = u->rows;
	u->record.n_types = u->record.n_rows = 0;
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		struct unfolded_type *t = unfold_type_of(u, str_of(rows->type->name),
							 rows->type->n_keys);
		if (t->wanted)
			unfold_put_type(u, t, rows, at);
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
	}
	unfold_forget_layouts(u);
}

static void unfold_put_device(const struct unfolded_type *t, const struct unfold_device *d,
			      struct buf *to)
{
	buf_addf(to, "device %s\n", d->name);
	for (size_t k = 0; k < t->n_keys; k++) {
		const struct unfold_reading *x = &d->reading[k];
		if (x->since)
			buf_addf(to, "%zu %llu %lld %lld %llu %llu %llu %u %u\n", k,
				 (unsigned long long)x->value, (long long)x->since,
				 (long long)x->low_us, (unsigned long long)x->last,
				 (unsigned long long)x->low, (unsigned long long)x->high,
				 x->stood, x->reopened | x->set << 1);
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
			unfold_put_device(t, &t->device[d], to);
	}
	buf_addf(to, "end\n");
}

static bool unfold_take_reading(struct unfolded_type *t, struct unfold_device *d, struct str line)
{
	uint64_t k, v[8];
	if (!d || !str_take_u64(&line, &k) || k >= t->n_keys)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (!str_take_u64(&line, &v[i]))
			return false;
	if (line.n || v[1] > INT64_MAX || v[2] > INT64_MAX || v[6] > UINT8_MAX || v[7] > 3)
		return false;
	d->reading[k] = (struct unfold_reading){ v[0], (int64_t)v[1], (int64_t)v[2], v[3], v[4],
						v[5],
						 (uint8_t)v[6], v[7] & 1, v[7] >> 1 };
	return true;
}

static bool unfold_take_type(struct unfold *u, struct str line, struct unfolded_type **t)
{
	struct str name;
	uint64_t n, signature;
	if (!str_take_word(&line, &name) || !str_take_u64(&line, &n) ||
	    !str_take_u64(&line, &signature) || line.n || n > RECORD_KEYS_MAX)
		return false;
	*t = unfold_type_of(u, name, n);
	(*t)->signature = signature;
	return (*t)->n_keys == n;
}

/*
 * Read the line "up" of a saved state: uptime, and time of the newest record. If an older version
 * of nodometer saved the state without this line, a boot before the next record is not detected.
 */
static bool unfold_take_uptime(struct boot *b, struct str line)
{
	uint64_t up, usec;
	if (!str_take_u64(&line, &up) || !str_take_u64(&line, &usec) || line.n ||
	    up > INT64_MAX || usec > RECORD_USEC_MAX)
		return false;
	b->uptime = (int64_t)up;
	b->usec = (int64_t)usec;
	return true;
}

static int unfold_take_lines(struct unfold *u, struct str text)
{
	struct unfolded_type *t = NULL;
	struct unfold_device *d = NULL;
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
			good = unfold_take_uptime(&u->boot, line);
		} else if (str_take_prefix(&line, STR("type "))) {
			good = unfold_take_type(u, line, &t);
			d = NULL;
		} else if (t && str_take_prefix(&line, STR("device "))) {
			d = unfold_device_of(t, line);
			good = d != NULL;
		} else {
			good = unfold_take_reading(t, d, line);
		}
		if (!good)
			return -EBADMSG;
	}
	return -EBADMSG;
}

int unfold_take(struct unfold *u, struct str text)
{
	unfold_drop_types(u);
	int r = unfold_take_lines(u, text);
	if (r < 0)
		unfold_drop_types(u);
	return r;
}
