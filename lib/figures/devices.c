/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.c - the counters of a node's devices, found by type and name */
#include "figures/devices.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/vec.h"

static uint64_t hash_of(size_t first, struct str name)
{
	return map_hash(name) ^ first;
}

static bool is(const struct device *d, size_t first, struct str name)
{
	return d->first == first && str_eq(str_of(d->name), name);
}

static struct device *add(struct devices *d, size_t first, size_t n, struct str name,
			  uint64_t hash, uint32_t sample)
{
	if (d->n == (d->most ? d->most : DEVICES_MAX))
		return NULL;
	d->device = vec_reserve(d->device, &d->cap, d->n + 1, sizeof(*d->device));
	struct device *new = &d->device[d->n];
	*new = (struct device){ .first = first, .n = n, .name = xstrdup(name),
				.begun_at = sample,
				.reading = xrealloc(NULL, n * sizeof(*new->reading)) };
	memset(new->reading, 0, n * sizeof(*new->reading));
	map_add(&d->by_name, hash, (union map_value){ .n = d->n++ });
	d->changed = true;
	return new;
}

/* Samples list their devices in the same order, mostly. */
static struct device *guess(struct devices *d, size_t first, struct str name)
{
	if (d->next >= d->n)
		d->next = 0;
	if (d->n == 0 || !is(&d->device[d->next], first, name))
		return NULL;
	return &d->device[d->next++];
}

/* NULL: not there. */
static struct device *look_up(struct devices *d, size_t first, struct str name, uint64_t hash)
{
	for (struct map_slot *at = NULL; (at = map_next(&d->by_name, hash, at));)
		if (is(&d->device[at->value.n], first, name))
			return &d->device[at->value.n];
	return NULL;
}

struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample)
{
	struct device *found = guess(d, first, name);
	if (found)
		return found;
	uint64_t hash = hash_of(first, name);
	found = look_up(d, first, name, hash);
	if (!found)
		return add(d, first, n, name, hash, sample);
	d->next = (size_t)(found - d->device) + 1;
	return found;
}

static void list_type(struct devices *d, struct devices_of *of, size_t first)
{
	of->n = 0;
	of->number = xrealloc(of->number, (d->n + 1) * sizeof(*of->number));
	for (size_t i = 0; i < d->n; i++)
		if (d->device[i].first == first)
			of->number[of->n++] = (uint32_t)i;
}

static void decide(struct devices *d, const struct devices_of *of, struct str type,
		   struct below *below)
{
	struct below_device *b = xrealloc(NULL, (of->n + 1) * sizeof(*b));
	for (size_t i = 0; i < of->n; i++)
		b[i].name = str_of(d->device[of->number[i]].name);
	below_decide(below, type, b, of->n);
	for (size_t i = 0; i < of->n; i++) {
		d->device[of->number[i]].how = b[i].how;
		d->device[of->number[i]].hardware |= b[i].hardware;
	}
	free(b);
}

static int by_values(const void *x, const void *y, void *arg)
{
	const struct devices *d = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t p = d->device[a].values, q = d->device[b].values;
	return p != q ? (p < q ? -1 : 1) : a < b ? -1 : a > b;
}

static uint32_t twin_of(const struct devices *d, uint32_t number)
{
	return d->device[number].twin ? d->device[number].twin : number + 1;
}

/* Joins two devices that were one all the time: the second has counted nothing of its own. */
static void join_twins(struct devices *d, struct devices_of *of, uint32_t a, uint32_t b)
{
	uint32_t first = a < b ? a : b, other = a < b ? b : a;
	for (size_t i = 0; i < of->n; i++) {
		struct device *one = &d->device[of->number[i]];
		if (first == other || twin_of(d, of->number[i]) != other)
			continue;
		one->twin = first;
		d->device[first - 1].hardware |= one->hardware;
		one->left_out = true;
		one->ever_in = false;
		for (size_t k = 0; k < one->n; k++)
			one->reading[k].part = (struct below_part){ .out = true };
	}
	d->device[first - 1].twin = first;
	of->twins = true;
}

/*
 * Both have the same values now: whether it is the second time, and they were others before. Two of
 * hardware are never one, nor through a third.
 */
static bool met_again(const struct devices *d, uint32_t number, struct device *b, uint32_t twin)
{
	const struct device *a = &d->device[number];
	bool before = b->met == number + 1 && b->met_values != b->values;
	if (a->how || b->how ||
	    (d->device[twin_of(d, number) - 1].hardware && d->device[twin - 1].hardware))
		return false;
	b->met = number + 1;
	b->met_values = b->values;
	return before && b->moved;
}

/*
 * Whole rows of counters that count on their own do not meet twice. Between these samples they may
 * be apart, since one of them is read after the other: they are one all the same.
 */
static void find_twins(struct devices *d, struct devices_of *of, uint32_t sample)
{
	size_t bytes = of->n * sizeof(*of->number), first = 0;
	if (of->n < 2)
		return;
	uint32_t *sorted = memcpy(xrealloc(NULL, bytes), of->number, bytes);
	qsort_r(sorted, of->n, sizeof(*sorted), by_values, d);
	for (size_t i = 1; i < of->n; i++) {
		const struct device *a = &d->device[sorted[first]];
		struct device *b = &d->device[sorted[i]];
		uint32_t twin = twin_of(d, sorted[i]);
		if (a->values != b->values || a->seen_at != sample || b->seen_at != sample)
			first = i;
		else if (met_again(d, sorted[first], b, twin))
			join_twins(d, of, twin_of(d, sorted[first]), twin);
	}
	free(sorted);
}

/*
 * Takes a device into the sum, or leaves it out. A device that comes in replaces one that was not
 * read any more: it counts from the sample before. A device that goes out counted until the other
 * one's first reading.
 */
static void leave_out(struct device *d, bool out, uint32_t sample)
{
	bool from_before = !out && d->seen_at == sample;
	d->left_out = out;
	d->ever_in |= !out;
	for (size_t k = 0; k < d->n; k++) {
		struct reading *r = &d->reading[k];
		if (out && !r->part.out)
			r->out = sample + 1;
		below_part_set(&r->part, out, from_before ? r->before : r->counter.total);
	}
}

/* Of those with the same counters the first one counts that this sample has. */
static bool is_second(struct devices *d, const struct device *one, uint32_t sample)
{
	if (!one->twin)
		return false;
	struct device *first = &d->device[one->twin - 1];
	if (one->seen_at != sample || first->twin_at == sample + 1)
		return true;
	first->twin_at = sample + 1;
	return false;
}

static void relate(struct devices *d, struct devices_of *of, bool said, uint32_t sample)
{
	for (size_t i = 0; i < of->n; i++) {
		struct device *one = &d->device[of->number[i]];
		bool second = !said && !one->how && is_second(d, one, sample);
		one->inferred |= second || one->how == BELOW_INFERRED;
		leave_out(one, second || one->how, sample);
	}
}

void devices_relate(struct devices *d, const struct devices_type *type, size_t n,
		    struct below *below, uint32_t sample)
{
	for (size_t i = 0; i < n; i++) {
		struct devices_of *of = &d->of[i];
		bool said = d->no_twins || below_says(below, type[i].type);
		if (d->changed) {
			list_type(d, of, type[i].first);
			decide(d, of, type[i].type, below);
		}
		if (!said)
			find_twins(d, of, sample);
		if (d->changed || of->twins)
			relate(d, of, said, sample);
	}
	d->changed = false;
}

bool device_changed(const struct device *d, const struct figure *f, uint32_t samples)
{
	for (size_t k = 0; k < d->n; k++) {
		const struct reading *r = &d->reading[k];
		if (f[k].ctl_mask && r->counter.started &&
		    (r->seen != samples || r->first != d->begun_at + 1 ||
		     r->counter.steps[DELTA_MISSING] > 0))
			return true;
	}
	return false;
}

void devices_clear(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->device[i].name);
		free(d->device[i].reading);
	}
	d->n = 0;
	d->changed = false;
	for (size_t i = 0; i < DEVICES_TYPES; i++) {
		d->of[i].n = 0;
		d->of[i].twins = false;
	}
	map_clear(&d->by_name);
}

void devices_free(struct devices *d)
{
	devices_clear(d);
	for (size_t i = 0; i < DEVICES_TYPES; i++)
		free(d->of[i].number);
	free(d->device);
	map_free(&d->by_name);
	*d = (struct devices){ 0 };
}

/* A counter that was read once has nothing to subtract from. */
static bool has_steps(const struct counter *c)
{
	for (int h = 0; h < DELTA_MISSING; h++)
		if (c->steps[h] > 0)
			return true;
	return false;
}

void device_fold(const struct device *d, size_t i, const struct figure *f,
		 const struct last_sample *last, struct value *v)
{
	const struct reading *r = &d->reading[i];
	struct counter copy = r->counter, *c = &copy;	/* readings may follow */

	if (!c->started)
		return;
	counter_end(c);
	v->reopened += c->steps[DELTA_MISSING] > 0;
	if (d->seen_at != last->number && !(f->job_row && last->own_gone)) {
		counter_missing(c);
		v->gone++;
		if (last->usec - d->seen_usec > v->gone_usec)
			v->gone_usec = last->usec - d->seen_usec;
	}
	v->late += !f->job_row && !f->from_0 && d->begun_at > 0;
	v->saturated += r->saturated;
	v->resetting += counter_is_set_back(c);
	for (int h = 0; h < DELTA_HOWS; h++)
		v->steps[h] += c->steps[h];
	v->to_0 += c->to_0;
	v->went_back += c->resets + c->steps[DELTA_DIP];
	if (r->saturated || counter_is_set_back(c) || !has_steps(c))
		return;
	uint64_t part = f->once ? below_part_of(&r->part, c->total) : c->total;
	v->seen = true;
	v->devices++;
	v->n += (double)part * r->scale;
	v->inferred += (double)(c->inferred < part ? c->inferred : part) * r->scale;
}
