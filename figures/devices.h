/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.h - the counters of a node's devices, found by type and name */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "base/str.h"
#include "figures/value.h"
#include "schema/below.h"
#include "schema/delta.h"

#define DEVICES_MAX 65536	/* of one node */
#define DEVICES_TYPES 4		/* types with rules, schema/below.h */

struct reading {
	struct counter counter;
	double scale;		/* from the key's unit to the figure's */
	bool saturated;
	uint64_t before;	/* the counter's total at the sample before the newest, */
	uint64_t begun;		/* and at the first */
	uint32_t first, seen;	/* samples with a value: the first, the newest, from 1 on */
	uint32_t waited, bad;	/* likewise, when it had gone back; lost counts */
	uint32_t lost;		/* how often, so far */
	uint32_t out;		/* when it left such a sum */
	struct below_part part;	/* of the total, in sums that have each byte once */
	double gauge;		/* the newest value of a gauge, */
	uint32_t gauge_at;	/* and its sample + 1 */
	struct {		/* figures/figure_steps.c: how far the counter was reported */
		uint64_t total;
		uint32_t plain, steps;
		int64_t usec;	/* when it was read, 0: not yet */
	} reported;
};

struct device {
	size_t first, n;	/* figures of the device */
	char *name;
	uint32_t begun_at, seen_at;	/* first and newest sample it was in, */
	int64_t seen_usec;		/* and when that was */
	bool left_out;			/* other devices count the same now, */
	bool ever_in, inferred;		/* but not always; no header says so */
	bool hardware;
	enum below_how how;
	uint64_t values;		/* hash of its newest row, */
	bool moved;			/* which is not all zeros */
	uint32_t met;			/* the number + 1 of one that had the same values, */
	uint64_t met_values;		/* these */
	uint32_t twin;			/* the number of the first with these counters + 1, or 0 */
	uint32_t twin_at;		/* of that one: the newest sample in which one counts + 1 */
	struct reading *reading;	/* n of them */
};

/* All zero is a valid empty one; devices_free() ends it. */
struct devices {
	struct device *device;
	size_t n, cap;
	struct map by_name;	/* numbers of devices */
	size_t next;		/* where the next one is likely to be */
	bool changed;		/* there are new ones, or other relations */
	bool no_twins;		/* devices with the same counters are not joined */
	size_t most;		/* how many there may be; 0: DEVICES_MAX */
	struct devices_of {	/* of a type, by number */
		size_t n;
		uint32_t *number;
		bool twins;	/* some have the same counters */
	} of[DEVICES_TYPES];
};

/*
 * The device of this name whose figures begin at first, a new one if need be. Valid until the
 * next call. NULL: there are DEVICES_MAX already.
 */
struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample);
/*
 * After a sample: of the devices of a type, those that stand on others are left out from here on.
 * Where no header speaks of the type, this is inferred from names and, where they say nothing,
 * from .values: two devices that had the same ones twice, and other ones the second time, are one.
 */
struct devices_type {
	size_t first;		/* figure of the type */
	struct str type;
};
void devices_relate(struct devices *d, const struct devices_type *type, size_t n,
		    struct below *below, uint32_t sample);
/*
 * A counter of hardware whose control register was another for some of the samples says nothing,
 * and neither do the others of that device: ratios have both of their sides from the same ones. f
 * is the first of its figures.
 */
bool device_changed(const struct device *d, const struct figure *f, uint32_t samples);
/* Adds to a value of figure f what the counter i of a device counted. */
struct last_sample {
	uint32_t number;
	int64_t usec;
	bool own_gone;	/* the job itself was gone before it */
};
void device_fold(const struct device *d, size_t i, const struct figure *f,
		 const struct last_sample *last, struct value *v);
void devices_clear(struct devices *d);
void devices_free(struct devices *d);
