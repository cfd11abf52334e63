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
/* limit of record types whose devices may be on top of others: see schema/below.h */
#define DEVICES_TYPES 4

struct device_reading {
	struct counter counter;
	double scale;		/* factor from the key's unit to the figure's unit */
	bool saturated;
	int64_t usec;		/* time of the newest reading */
	uint64_t before;	/* total of the counter at the previous sample */
	uint64_t begun;		/* total of the counter after its first reading */
	/* sample numbers, from 1: the first and the newest sample with a value */
	uint32_t first, seen;
	/*
	 * sample numbers, from 1: the newest sample in which the counter was lower than before
	 * (.waited), and the newest in which counts were lost (.bad)
	 */
	uint32_t waited, bad;
	uint32_t lost;		/* value of counter_lost() at the newest reading */
	/* number, from 1, of the first sample that leaves the device out of the sum */
	uint32_t out;
	/* part of the total that is in the sum; see schema/below.h */
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
	/* first figure of the device in the table, and number of its figures */
	size_t first, n;
	char *name;
	/* sample numbers, from 0: the first and the newest sample with this device */
	uint32_t begun_at, seen_at;
	int64_t seen_usec;		/* time of the newest sample with this device */
	bool left_out;	/* left out of sums now, because other devices count the same data */
	/*
	 * .ever_in: the device was in the sum in some sample; .inferred: the device was left out
	 * because of its name or values, not because of a header
	 */
	bool ever_in, inferred;
	bool hardware;
	enum below_how how;
	uint64_t values;		/* hash of the values in the newest row */
	/* the device was used: a byte counter in its newest row is not 0 */
	bool moved;
	uint32_t met;			/* index + 1 of the last device that had the same values */
	uint64_t met_values;		/* hash of the values that this device and .met had */
	uint32_t twin;	/* index + 1 of the first device with the same counters; 0: none */
	/*
	 * in the first of several devices with the same counters: number + 1 of the newest sample
	 * in which one of these devices was counted
	 */
	uint32_t twin_at;
	struct device_reading *reading;	/* one entry for each figure */
};

/* The devices of a node. Zeroed memory is an empty set; devices_free() releases it. */
struct devices {
	struct device *device;
	size_t n, cap;
	struct map by_name;	/* indexes in .device, by name */
	size_t next;		/* index of the device that the next row is expected to have */
	/* a device was added, or a new header may list other relations between devices */
	bool changed;
	bool no_twins;		/* do not look for devices with the same counters */
	size_t most;		/* limit of devices; 0: DEVICES_MAX */
	struct devices_of {	/* indexes in .device of all devices of one type */
		size_t n;
		uint32_t *number;
		bool twins;	/* some devices have the same counters */
	} of[DEVICES_TYPES];
};

/*
 * Find a device by its name and first figure; add it if it is new. The result is valid until the
 * next call. Returns NULL if there are too many devices.
 */
struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample);

/*
 * A record type whose devices may be stacked on others, as LVM on disks: a sum of all devices would
 * count the same bytes twice.
 */
struct devices_type {
	size_t first;		/* index of the first figure of the type */
	struct str type;
};
/*
 * Decide after a sample which devices are left out of sums, because another device counts the same
 * data: a partition and its disk, for example. Use the "$below" lines of the header. If no header
 * describes the type, use the devices' names, or else their values: two devices whose values are
 * equal in two samples, but changed in between, are the same device.
 */
void devices_relate(struct devices *d, const struct devices_type *type, size_t n,
		    struct below *below, uint32_t sample);
/*
 * Return true if a hardware counter of the device counted another event in some samples. None of
 * its hardware counters is then used, since both sides of a ratio must be sums over the same
 * devices. f: first figure of the device.
 */
bool device_changed(const struct device *d, const struct figure *f, uint32_t samples);
/* The newest sample of a node, as device_fold() needs it. */
struct last_sample {
	uint32_t number;	/* from 0 */
	int64_t usec;
	bool own_gone;	/* the job's cgroup was removed before this sample */
};

/* Add what counter i of a device has counted to the value of figure f. */
void device_fold(const struct device *d, size_t i, const struct figure *f,
		 const struct last_sample *last, struct value *v);
void devices_clear(struct devices *d);
void devices_free(struct devices *d);
