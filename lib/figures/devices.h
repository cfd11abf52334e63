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

#define DEVICES_MAX 65536	/* limit of devices of one node */
#define DEVICES_TYPES 4		/* number of record types with rules in schema/below.h */

struct device_reading {
	struct counter counter;
	double scale;		/* factor from the key's unit to the figure's unit */
	bool saturated;
	int64_t usec;		/* time of the newest reading */
	uint64_t before;	/* total of the counter at the previous sample */
	uint64_t begun;		/* total of the counter after its first reading */
	/* numbers, from 1, of the first and the newest sample with a value */
	uint32_t first, seen;
	/*
	 * .waited: number, from 1, of the newest sample in which the counter was lower than before;
	 * .bad: number of the newest sample in which .lost grew
	 */
	uint32_t waited, bad;
	uint32_t lost;		/* value of counter_lost() at the newest reading */
	/* number, from 1, of the sample since which the device is left out of the sum */
	uint32_t out;
	/* part of the total that is included in sums that count each byte once */
	struct below_part part;
	double gauge;		/* newest value, if the figure is a gauge */
	uint32_t gauge_at;	/* number, from 1, of the sample with .gauge; 0: there is none */
	/* state of the counter when figures/figure_steps.c last reported its change */
	struct {
		uint64_t total;
		uint32_t steps, uneven;
		int64_t usec;	/* time of the reported reading; 0: none yet */
	} reported;
};

struct device {
	size_t first, n;	/* first figure of the device, and number of its figures */
	char *name;
	/* numbers of the first and newest sample with this device */
	uint32_t begun_at, seen_at;
	int64_t seen_usec;		/* time of the newest sample with this device */
	bool left_out;	/* left out of sums now, because other devices count the same data */
	/*
	 * .ever_in: the device was in a sum at some time; .inferred: the device was left out
	 * because of names or values, not because a header says so
	 */
	bool ever_in, inferred;
	bool hardware;
	enum below_how how;
	uint64_t values;		/* hash of the newest row */
	/* the newest row has a counter of bytes that is not 0, so the device was used */
	bool moved;
	uint32_t met;			/* number + 1 of the last device that had the same values */
	uint64_t met_values;		/* hash of the values that this device and .met had */
	uint32_t twin;	/* number + 1 of the first device with the same counters; 0: none */
	/*
	 * in the first device of a set with the same counters: number + 1 of the newest sample in
	 * which a device of the set was counted
	 */
	uint32_t twin_at;
	struct device_reading *reading;	/* n entries */
};

/* All zero is a valid empty set; devices_free() releases it. */
struct devices {
	struct device *device;
	size_t n, cap;
	struct map by_name;	/* device numbers by name */
	size_t next;		/* where to look for the next device first */
	/* set when a device is added, or the set of devices below a device changes */
	bool changed;
	bool no_twins;		/* do not look for devices with the same counters */
	size_t most;		/* limit of devices; 0: DEVICES_MAX */
	struct devices_of {	/* numbers of all devices of one type */
		size_t n;
		uint32_t *number;
		bool twins;	/* some devices have the same counters */
	} of[DEVICES_TYPES];
};

/*
 * Find the device with this name whose first figure is number `first`. Add it if it is new. The
 * result is valid until the next call. Returns NULL if there are as many devices as allowed.
 */
struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample);
/*
 * Decide after a sample which devices of a type are left out of sums from now on, because they are
 * built on other devices, as a partition is on its disk. The "$below" lines of the header list such
 * devices. If no header describes the type, infer them from the devices' names or, if names tell
 * nothing, from their values: two devices that had equal values, and later had equal values again
 * that were different from the first ones, are the same device.
 */
struct devices_type {
	size_t first;		/* number of the first figure of the type */
	struct str type;
};
void devices_relate(struct devices *d, const struct devices_type *type, size_t n,
		    struct below *below, uint32_t sample);
/*
 * Whether a hardware counter of the device was programmed for another event in some samples. If so,
 * do not use any counter of the device, since both sides of a ratio must be sums over the same
 * devices. f is the first figure of the device.
 */
bool device_changed(const struct device *d, const struct figure *f, uint32_t samples);
/* The newest sample of a node, for device_fold(). */
struct last_sample {
	uint32_t number;
	int64_t usec;
	bool own_gone;	/* the job's cgroup was removed before this sample */
};

/* Add the count of counter i of a device to the value of figure f. */
void device_fold(const struct device *d, size_t i, const struct figure *f,
		 const struct last_sample *last, struct value *v);
void devices_clear(struct devices *d);
void devices_free(struct devices *d);
