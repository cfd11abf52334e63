/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper.h - compute the classes of OpenVMS MONITOR from a record, using the table in mapping.c */
#pragma once

#include "base/map.h"
#include "openvms/mapping.h"
#include "openvms/moment.h"
#include "schema/record.h"

#define MAPPER_COMPONENTS 4

/* A device or a process, which becomes one data block of its class. */
struct element {
	struct str name;		/* device name in the record's rows, which own it */
	uint64_t sum[VMS_ITEMS_MAX];
	uint16_t seen;			/* bit n: item n was read from a row */
	/* for a process: values of its row, which mapper_take_process() reads */
	uint64_t key[10];
};

struct elements {
	struct element *e;
	size_t n, cap;
	/* index of the element found last, where the next search by name begins */
	size_t next;
	size_t n_named;		/* the first n_named elements are in .by_name */
	struct map by_name;
};

/* A type that occurs in a record, and those of its keys that mappings[] uses. */
struct mapper_type {
	const struct record_type *type;
	size_t n;
	struct mapper_key {
		uint16_t row;		/* index in mappings[] */
		int16_t key;
	} key[40];
	/* one of the keys has MAP_ONCE: leave out devices built on other devices */
	bool once;
};

/* The converter of records to moments. mapper_init() sets it up, mapper_free() releases it. */
struct mapper {
	/*
	 * masks of classes; .shown: classes to return; .wanted: also the classes needed to compute
	 * them
	 */
	uint32_t shown, wanted;
	uint32_t page_bytes;
	/* for each row of mappings[]: index of its item in the class */
	size_t item[160];
	struct mapper_type *type;
	size_t n_types, cap_types;
	struct elements of[MAPPER_COMPONENTS];
	uint64_t sum[VMS_CLASSES][VMS_ITEMS_MAX];
	uint16_t seen[VMS_CLASSES];
	struct below_device *device;	/* in mapper_take_rows(): devices of the current type */
	size_t cap_devices;
	struct map counters;		/* struct mapper_counter by class, item and device */
	uint64_t states[14];
};

void mapper_init(struct mapper *m, uint32_t wanted, uint32_t page_bytes);
void mapper_free(struct mapper *m);
/*
 * Convert record g to a moment. The caller first sets .stamp and .index of *ret; mapper_take() sets
 * all other members.
 */
void mapper_take(struct mapper *m, const struct record *g, struct monitor_moment *ret);
