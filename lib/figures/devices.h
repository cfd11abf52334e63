/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.h - counters of a node's devices, found by type and name */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "base/str.h"
#include "figures/value.h"
#include "schema/below.h"
#include "schema/delta.h"

#define DEVICES_MAX 65536	/* most devices of one node */
#define DEVICES_TYPES 4		/* number of types with rules in schema/below.h */

struct device_reading {
	struct counter counter;
	double scale;		/* factor from the key's unit to the figure's unit */
	bool saturated;
	int64_t usec;		/* time of the newest reading */
	uint64_t before;	/* total of the counter at the sample before the newest */
	uint64_t begun;		/* total of the counter at its first reading */
	uint32_t first, seen;	/* first and newest sample with a value, counted from 1 */
	/*
	 * numbers, from 1, of the newest sample in which the counter had fallen, and of the newest
	 * in which .lost grew
	 */
	uint32_t waited, bad;
	uint32_t lost;		/* counter_lost() of the counter at its newest reading */
	uint32_t out;		/* sample, counted from 1, in which the device left the sum */
	struct below_part part;	/* part of the total for sums that include each byte once */
	double gauge;		/* newest value of a gauge */
	uint32_t gauge_at;	/* number of the sample with .gauge, counted from 1; 0: none */
	/* state up to which figures/figure_steps.c has reported the counter */
	struct {
		uint64_t total;
		uint32_t steps, uneven;
		int64_t usec;	/* time of the reported reading; 0: none yet */
	} reported;
};

struct device {
	size_t first, n;	/* first figure of the device, and number of its figures */
	char *name;
	uint32_t begun_at, seen_at;	/* first and newest sample with this device */
	int64_t seen_usec;		/* time of the newest sample with this device */
	bool left_out;			/* other devices count the same data now */
	/* the device was in the sum at some time; it was left out by inference, not by a header */
	bool ever_in, inferred;
	bool hardware;
	enum below_how how;
	uint64_t values;		/* hash of the newest row */
	bool moved;			/* the newest row shows activity: a byte counter is not 0 */
	uint32_t met;			/* number + 1 of a device that had the same values */
	uint64_t met_values;		/* hash of the values that both devices had */
	/* number + 1 of the first device with the same counters; 0: none */
	uint32_t twin;
	/* for the first of such devices: newest sample + 1 in which one of them was counted */
	uint32_t twin_at;
	struct device_reading *reading;	/* n entries */
};

/* All zero is a valid empty set; devices_free() releases it. */
struct devices {
	struct device *device;
	size_t n, cap;
	struct map by_name;	/* device numbers by name */
	size_t next;		/* likely position of the next device */
	bool changed;		/* a device was added, or relations changed */
	bool no_twins;		/* devices with the same counters stay separate */
	size_t most;		/* most devices allowed; 0: DEVICES_MAX */
	struct devices_of {	/* devices of one type, by number */
		size_t n;
		uint32_t *number;
		bool twins;	/* some devices have the same counters */
	} of[DEVICES_TYPES];
};

/*
 * Find the device with this name whose figures begin at first, and add it if it is new. The result
 * is valid until the next call. Returns NULL if there are as many devices as allowed.
 */
struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample);
/*
 * Decide after a sample which devices of a type are left out from now on because they stand on
 * other devices, as a partition does on its disk. If no header describes the type, infer this from
 * names; if names say nothing, from .values: two devices that had equal values twice, with a change
 * in between, are the same device.
 */
struct devices_type {
	size_t first;		/* first figure of the type */
	struct str type;
};
void devices_relate(struct devices *d, const struct devices_type *type, size_t n,
		    struct below *below, uint32_t sample);
/*
 * Whether a hardware counter of the device was programmed for another event in some samples. Then
 * none of the device's counters is usable, since both sides of a ratio must come from the same
 * devices. f is the first figure of the device.
 */
bool device_changed(const struct device *d, const struct figure *f, uint32_t samples);
/* The newest sample of a node, for device_fold(). */
struct last_sample {
	uint32_t number;
	int64_t usec;
	bool own_gone;	/* the job's control group was gone before this sample */
};

/* Add the count of counter i of a device to the value of figure f. */
void device_fold(const struct device *d, size_t i, const struct figure *f,
		 const struct last_sample *last, struct value *v);
void devices_clear(struct devices *d);
void devices_free(struct devices *d);
