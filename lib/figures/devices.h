/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.h - the devices of a node, found by type and name, with their counters */
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
	double scale;	/* factor that converts the unit of the key to the unit of the figure */
	bool saturated;
	int64_t usec;		/* time of the newest reading */
	uint64_t before;	/* total of the counter before its newest reading */
	uint64_t begun;		/* total of the counter after its first reading */
	/* numbers, from 1, of the first and the newest sample with a value */
	uint32_t first, seen;
	/*
	 * numbers, from 1, of the newest sample in which the counter had fallen to half or less and
	 * waited for a decision (.waited), and in which counts were lost (.bad)
	 */
	uint32_t waited, bad;
	uint32_t lost;		/* value of counter_lost() at the newest reading */
	/* number, from 1, of the sample in which the device last left the sum */
	uint32_t out;
	/* part of the counter's total that is in the sum of the figure; see schema/below.h */
	struct below_part part;
	double gauge;		/* newest value, if the figure is a gauge */
	/* number, from 1, of the sample in which .gauge was read; 0: none */
	uint32_t gauge_at;
	/* state of the counter when figures/figure_steps.c last reported its change */
	struct {
		uint64_t total;
		uint32_t steps, uneven;
		int64_t usec;	/* time of the reported reading; 0: none yet */
	} reported;
};

struct device {
	/* index of the first figure of the device in the table, and number of its figures */
	size_t first, n;
	char *name;
	/* numbers, from 0, of the first and the newest sample with this device */
	uint32_t begun_at, seen_at;
	int64_t seen_usec;		/* time of the newest sample with this device */
	bool left_out;	/* now left out of sums, because other devices count the same data */
	/*
	 * .ever_in: sums included the device in some sample; .inferred: sums leave it out because
	 * of its name or values, not because of a header
	 */
	bool ever_in, inferred;
	bool hardware;
	enum below_how how;
	uint64_t values;		/* hash of the values in the newest row */
	/* the device was used: a counter of bytes in its newest row is not 0 */
	bool moved;
	uint32_t met;	/* index + 1 of the last device whose row had the same values */
	uint64_t met_values;	/* hash of the values that this device and device .met had */
	uint32_t twin;	/* index + 1 of the first device with the same counters; 0: none */
	/*
	 * for the first of several devices with the same counters: number, from 1, of the newest
	 * sample in which one of these devices was counted
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
	/* a device was added, or a new header may have other "$below" lines */
	bool changed;
	bool no_twins;		/* do not look for devices with the same counters */
	size_t most;		/* limit of devices; 0: DEVICES_MAX */
	struct devices_of {	/* indexes in .device of all devices of one type */
		size_t n;
		uint32_t *number;
		bool twins;	/* some devices of the type have the same counters */
	} of[DEVICES_TYPES];
};

/*
 * Find a device by its name and its first figure, or add it if it is new. n: number of its figures.
 * The result is valid until the next call. Returns NULL if there are too many devices.
 */
struct device *devices_find(struct devices *d, size_t first, size_t n, struct str name,
			    uint32_t sample);

/*
 * A record type whose devices may be on top of each other, such as LVM on disks: a sum over all
 * devices would count the same bytes twice.
 */
struct devices_type {
	size_t first;		/* index of the first figure of the type */
	struct str type;
};
/*
 * After a sample, decide which devices to leave out of sums, because other devices count the same
 * data, for example LVM and its disk. The "$below" lines of the header decide. If the header has
 * none for the type, the devices' names decide, or else their values: two devices are the same if
 * their values are equal in a sample, and equal again, but changed, in a later sample.
 */
void devices_relate(struct devices *d, const struct devices_type *type, size_t n,
		    struct below *below, uint32_t sample);
/*
 * Return true if a hardware counter of the device counted another event in some samples. Sums then
 * leave out all hardware counters of this device, because both sides of a ratio must be sums over
 * the same devices. f: first figure of the device. samples: number of samples of the node.
 */
bool device_changed(const struct device *d, const struct figure *f, uint32_t samples);
/* The newest sample of a node, as device_fold() needs it. */
struct last_sample {
	uint32_t number;	/* from 0 */
	int64_t usec;
	bool job_cgroup_gone;	/* the job's cgroup was removed before this sample */
};

/* Add the growth of counter i of a device to *v, the value of figure f. */
void device_fold(const struct device *d, size_t i, const struct figure *f,
		 const struct last_sample *last, struct value *v);
void devices_clear(struct devices *d);
void devices_free(struct devices *d);
