/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.h - the counters of a node's devices, found by type and name */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "schema/delta.h"

#define DEVICES_MAX 65536	/* of one node */

struct reading {
	struct counter counter;
	double scale;		/* of one in the figure's unit */
	bool saturated;
	struct {		/* report/steps.c: how far it has told of the counter */
		uint64_t total;
		uint32_t plain, steps;
		int64_t usec;	/* when it was read, 0: not yet */
	} told;
};

struct device {
	size_t first, n;	/* its figures */
	char *name;
	uint64_t hash;
	uint32_t begun_at, seen_at;	/* first and newest sample it was in, */
	int64_t seen_usec;		/* and when that was */
	bool in_others;			/* what it counts, other devices count too */
	struct reading *reading;	/* n of them; those of gauges stay empty */
};

/* All zero is a valid empty one; devices_free() ends it. */
struct devices {
	struct device *device;
	size_t n, cap;
	uint32_t *slot;		/* open addressing, number of the device + 1 */
	size_t slots;		/* a power of two, at least twice .n */
	size_t next;		/* where the next one is likely to be */
};

/*
 * The device of this name whose figures begin at first, a new one if need be. Valid until the
 * next call. NULL: there are DEVICES_MAX already.
 */
struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample);
/* Sets .in_others, to be asked when all samples were read. */
void devices_mark_shared(struct devices *d);
void devices_clear(struct devices *d);
void devices_free(struct devices *d);
