/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.c - the counters of a node's devices, found by type and name */
#include "report/devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

static uint64_t hash_of(size_t first, struct str name)
{
	return str_hash(name) ^ first;
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

/* NULL: not there. */
static struct device *look_up(struct devices *d, size_t first, struct str name, uint64_t hash)
{
	for (size_t at = hash & (d->slots - 1); d->slots && d->slot[at] != 0;
	     at = (at + 1) & (d->slots - 1)) {
		struct device *found = &d->device[d->slot[at] - 1];
		if (found->hash == hash && is(found, first, name))
			return found;
	}
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

/* "nvme1c0n2", controller 0's path to the disk "nvme1n2" (drivers/nvme/host/multipath.c). */
static bool is_path(struct str name, char disk[64])
{
	struct str rest = name;
	uint64_t subsystem, number, n;
	if (!str_take_prefix(&rest, STR("nvme")) || !str_take_u64(&rest, &subsystem) ||
	    !str_take_prefix(&rest, STR("c")) || !str_take_u64(&rest, &number) ||
	    !str_take_prefix(&rest, STR("n")) || !str_take_u64(&rest, &n) || rest.n)
		return false;
	snprintf(disk, 64, "nvme%" PRIu64 "n%" PRIu64, subsystem, n);
	return true;
}

/* Kernels count at the paths, and only newer ones also at the disk: Linux 6.1 leaves it at 0. */
void devices_mark_shared(struct devices *d)
{
	char disk[64];
	for (size_t i = 0; i < d->n; i++) {
		if (!is_path(str_of(d->device[i].name), disk))
			continue;
		size_t first = d->device[i].first;
		uint64_t hash = hash_of(first, str_of(disk));
		struct device *found = look_up(d, first, str_of(disk), hash);
		if (found)
			found->in_others = true;
	}
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
