/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.c - the counters of a node's devices, found by type and name */
#include "report/devices.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

static uint64_t hash_of(size_t first, struct str name)
{
	uint64_t h = 0xcbf29ce484222325u ^ first;	/* FNV-1a */
	for (size_t i = 0; i < name.n; i++)
		h = (h ^ (unsigned char)name.p[i]) * 0x100000001b3u;
	return h;
}

static bool is(const struct device *d, size_t first, struct str name)
{
	return d->first == first && str_eq(str_of(d->name), name);
}

static void put_slot(struct devices *d, size_t number)
{
	size_t at = d->device[number].hash & (d->slots - 1);
	while (d->slot[at] != 0)
		at = (at + 1) & (d->slots - 1);
	d->slot[at] = (uint32_t)number + 1;
}

static void grow(struct devices *d)
{
	d->cap = d->cap ? 2 * d->cap : 64;
	d->slots = 2 * d->cap;
	d->device = xrealloc(d->device, d->cap * sizeof(*d->device));
	d->slot = xrealloc(d->slot, d->slots * sizeof(*d->slot));
	memset(d->slot, 0, d->slots * sizeof(*d->slot));
	for (size_t i = 0; i < d->n; i++)
		put_slot(d, i);
}

static struct device *add(struct devices *d, size_t first, size_t n, struct str name,
			  uint64_t hash, uint32_t sample)
{
	if (d->n == DEVICES_MAX)
		return NULL;
	if (d->n == d->cap)
		grow(d);
	struct device *new = &d->device[d->n];
	*new = (struct device){ .first = first, .n = n, .name = xstrdup(name), .hash = hash,
				.begun_at = sample,
				.reading = xrealloc(NULL, n * sizeof(*new->reading)) };
	memset(new->reading, 0, n * sizeof(*new->reading));
	put_slot(d, d->n++);
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

struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample)
{
	struct device *found = guess(d, first, name);
	if (found)
		return found;
	uint64_t hash = hash_of(first, name);
	for (size_t at = hash & (d->slots - 1); d->slots && d->slot[at] != 0;
	     at = (at + 1) & (d->slots - 1)) {
		size_t number = d->slot[at] - 1;
		if (d->device[number].hash == hash && is(&d->device[number], first, name)) {
			d->next = number + 1;
			return &d->device[number];
		}
	}
	return add(d, first, n, name, hash, sample);
}

void devices_clear(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->device[i].name);
		free(d->device[i].reading);
	}
	d->n = 0;
	if (d->slots > 0)
		memset(d->slot, 0, d->slots * sizeof(*d->slot));
}

void devices_free(struct devices *d)
{
	devices_clear(d);
	free(d->device);
	free(d->slot);
	*d = (struct devices){ 0 };
}
