/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.c - the devices of a node, found by type and name, with their counters */
#include "figures/devices.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/vec.h"

static uint64_t devices_hash_name(size_t first, struct str name)
{
	return map_hash(name) ^ first;
}

static bool device_is(const struct device *d, size_t first, struct str name)
{
	return d->first == first && str_eq(str_of(d->name), name);
}

static struct device *devices_add(struct devices *d, size_t first, size_t n, struct str name,
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

/*
 * Try the device after the one found last, since samples usually have the same order of devices.
 * Returns NULL if that device has another name.
 */
static struct device *devices_guess(struct devices *d, size_t first, struct str name)
{
	if (d->next >= d->n)
		d->next = 0;
	if (d->n == 0 || !device_is(&d->device[d->next], first, name))
		return NULL;
	return &d->device[d->next++];
}

/* Search for a device by name. Returns NULL if there is none. */
static struct device *devices_look_up(struct devices *d, size_t first, struct str name,
				      uint64_t hash)
{
	for (struct map_slot *at = NULL; (at = map_next(&d->by_name, hash, at));)
		if (device_is(&d->device[at->value.n], first, name))
			return &d->device[at->value.n];
	return NULL;
}

struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample)
{
	struct device *found = devices_guess(d, first, name);
	if (found)
		return found;
	uint64_t hash = devices_hash_name(first, name);
	found = devices_look_up(d, first, name, hash);
	if (!found)
		return devices_add(d, first, n, name, hash, sample);
	d->next = (size_t)(found - d->device) + 1;
	return found;
}

static void devices_list_type(struct devices *d, struct devices_of *of, size_t first)
{
	of->n = 0;
	of->number = xrealloc(of->number, (d->n + 1) * sizeof(*of->number));
	for (size_t i = 0; i < d->n; i++)
		if (d->device[i].first == first)
			of->number[of->n++] = (uint32_t)i;
}

static void devices_decide_below(struct devices *d, const struct devices_of *of, struct str type,
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

static int devices_compare_values(const void *x, const void *y, void *arg)
{
	const struct devices *d = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t p = d->device[a].values, q = d->device[b].values;
	return p != q ? (p < q ? -1 : 1) : a < b ? -1 : a > b;
}

static uint32_t devices_twin_of(const struct devices *d, uint32_t number)
{
	return d->device[number].twin ? d->device[number].twin : number + 1;
}

/*
 * Join the devices with indexes a - 1 and b - 1, because they have the same counters. Sums leave
 * out the later device, except in samples that lack the first.
 */
static void devices_join_twins(struct devices *d, struct devices_of *of, uint32_t a, uint32_t b)
{
	uint32_t first = a < b ? a : b, other = a < b ? b : a;
	for (size_t i = 0; i < of->n; i++) {
		struct device *one = &d->device[of->number[i]];
		if (first == other || devices_twin_of(d, of->number[i]) != other)
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
 * Note that the devices `number` and `b` have the same values in this sample. Returns true if they
 * also had the same values as each other in an earlier sample, but different from now. Returns
 * false for two hardware devices, so that they are never joined, not even through a third device.
 */
static bool devices_match_again(const struct devices *d, uint32_t number, struct device *b,
				uint32_t twin)
{
	const struct device *a = &d->device[number];
	bool before = b->met == number + 1 && b->met_values != b->values;
	if (a->how || b->how ||
	    (d->device[devices_twin_of(d, number) - 1].hardware && d->device[twin - 1].hardware))
		return false;
	b->met = number + 1;
	b->met_values = b->values;
	return before && b->moved;
}

/*
 * Find and join devices with the same counters: their rows are equal in two samples, with changed
 * values. In samples in between, the rows may differ, since rows are read one after the other.
 */
static void devices_find_twins(struct devices *d, struct devices_of *of, uint32_t sample)
{
	size_t bytes = of->n * sizeof(*of->number), first = 0;
	if (of->n < 2)
		return;
	uint32_t *sorted = memcpy(xrealloc(NULL, bytes), of->number, bytes);
	qsort_r(sorted, of->n, sizeof(*sorted), devices_compare_values, d);
	for (size_t i = 1; i < of->n; i++) {
		const struct device *a = &d->device[sorted[first]];
		struct device *b = &d->device[sorted[i]];
		uint32_t twin = devices_twin_of(d, sorted[i]);
		if (a->values != b->values || a->seen_at != sample || b->seen_at != sample)
			first = i;
		else if (devices_match_again(d, sorted[first], b, twin))
			devices_join_twins(d, of, devices_twin_of(d, sorted[first]), twin);
	}
	free(sorted);
}

/*
 * Leave a device out of sums, or include it again. If it is left out, its growth up to this sample
 * stays in the sums. If it is included again in a sample that has its row, the sums get its growth
 * since the previous sample, because it replaces a device that this sample lacks.
 */
static void device_leave_out(struct device *d, bool out, uint32_t sample)
{
	bool from_before = !out && d->seen_at == sample;
	d->left_out = out;
	d->ever_in |= !out;
	for (size_t k = 0; k < d->n; k++) {
		struct device_reading *r = &d->reading[k];
		if (out && !r->part.out)
			r->out = sample + 1;
		below_part_set(&r->part, out, from_before ? r->before : r->counter.total);
	}
}

/*
 * Whether to leave out a device in this sample as a duplicate. If several devices have the same
 * counters, only the first one asked about is kept.
 */
static bool device_is_duplicate(struct devices *d, const struct device *one, uint32_t sample)
{
	if (!one->twin)
		return false;
	struct device *first = &d->device[one->twin - 1];
	if (one->seen_at != sample || first->twin_at == sample + 1)
		return true;
	first->twin_at = sample + 1;
	return false;
}

static void devices_relate_type(struct devices *d, struct devices_of *of, bool said,
				uint32_t sample)
{
	for (size_t i = 0; i < of->n; i++) {
		struct device *one = &d->device[of->number[i]];
		bool second = !said && !one->how && device_is_duplicate(d, one, sample);
		one->inferred |= second || one->how == BELOW_INFERRED;
		device_leave_out(one, second || one->how, sample);
	}
}

void devices_relate(struct devices *d, const struct devices_type *type, size_t n,
		    struct below *below, uint32_t sample)
{
	for (size_t i = 0; i < n; i++) {
		struct devices_of *of = &d->of[i];
		bool said = d->no_twins || below_is_declared(below, type[i].type);
		if (d->changed) {
			devices_list_type(d, of, type[i].first);
			devices_decide_below(d, of, type[i].type, below);
		}
		if (!said)
			devices_find_twins(d, of, sample);
		if (d->changed || of->twins)
			devices_relate_type(d, of, said, sample);
	}
	d->changed = false;
}

bool device_changed(const struct device *d, const struct figure *f, uint32_t samples)
{
	for (size_t k = 0; k < d->n; k++) {
		const struct device_reading *r = &d->reading[k];
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

/* Whether the counter has a step, that is, two readings to compare. */
static bool device_counter_has_steps(const struct counter *c)
{
	for (int h = 0; h < DELTA_MISSING; h++)
		if (c->steps[h] > 0)
			return true;
	return false;
}

/*
 * Whether the counter is reset again and again. The kernel's counters of time are never taken for
 * such counters, because they often fall, but only by some ticks.
 */
static bool device_is_set_back(const struct counter *c, const struct figure *f)
{
	return f->unit != UNIT_SECONDS && counter_is_set_back(c);
}

void device_fold(const struct device *d, size_t i, const struct figure *f,
		 const struct last_sample *last, struct value *v)
{
	const struct device_reading *r = &d->reading[i];
	/*
	 * use a copy of the counter, because counter_end() changes state that later readings need
	 */
	struct counter copy = r->counter, *c = &copy;

	if (!c->started)
		return;
	counter_end(c);
	v->reopened += c->steps[DELTA_MISSING] > 0;
	if (d->seen_at != last->number && !(f->job_row && last->job_cgroup_gone)) {
		counter_missing(c);
		v->gone++;
		if (last->usec - d->seen_usec > v->gone_usec)
			v->gone_usec = last->usec - d->seen_usec;
	}
	v->late += !f->job_row && !f->starts_at_zero && d->begun_at > 0;
	v->saturated += r->saturated;
	bool set_back = device_is_set_back(c, f);
	v->resetting += set_back;
	for (int h = 0; h < DELTA_HOWS; h++)
		v->steps[h] += c->steps[h];
	v->resets += c->resets;
	v->to_0 += c->to_0;
	if (r->saturated || set_back || !device_counter_has_steps(c))
		return;
	uint64_t part = f->once ? below_part_of(&r->part, c->total) : c->total;
	v->seen = true;
	v->devices++;
	v->n += (double)part * r->scale;
	uint64_t inferred = c->inferred < part ? c->inferred : part;
	v->inferred += (double)(inferred + c->withheld) * r->scale;
	v->withheld += (double)c->withheld * r->scale;
}
