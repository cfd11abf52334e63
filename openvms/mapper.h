/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper.h - convert a record to the classes of a moment, as mapping.c lists them */
#pragma once

#include "base/map.h"
#include "openvms/mapping.h"
#include "openvms/moment.h"
#include "schema/record.h"

#define MAPPER_COMPONENTS 4

/* A device or a process of a component class. */
struct element {
	struct str name;		/* device name of the row, borrowed */
	uint64_t sum[VMS_ITEMS_MAX];
	uint16_t seen;			/* bit n: item n was read from a row */
	uint64_t key[10];		/* values of all keys, for type process */
};

struct elements {
	struct element *e;
	size_t n, cap;
	/* index of the element found last; the next search likely finds it or its successor */
	size_t next;
	size_t n_named;		/* the first n_named elements are in .by_name */
	struct map by_name;
};

/* A type of the record, and the keys of this type that the mapping table uses. */
struct mapper_type {
	const struct record_type *type;
	size_t n;
	struct mapper_key {
		uint16_t row;		/* index of a row in the mapping table */
		int16_t key;
	} key[40];
	/* for MAP_ONCE: count only devices that are not built on other devices */
	bool once;
};

/* mapper_init() makes a mapper, mapper_free() releases it. */
struct mapper {
	/*
	 * bit n: class n. .wanted also has classes that shown classes need: STATES needs the number
	 * of CPUs
	 */
	uint32_t shown, wanted;
	uint32_t page_bytes;
	/* for each row of the mapping table: index of its item in the class */
	size_t item[160];
	struct mapper_type *type;
	size_t n_types, cap_types;
	struct elements of[MAPPER_COMPONENTS];
	uint64_t sum[VMS_CLASSES][VMS_ITEMS_MAX];
	uint16_t seen[VMS_CLASSES];
	struct below_device *device;	/* devices of the type that is being added */
	size_t cap_devices;
	struct map kept;		/* finds a struct mapper_kept by class, item and device */
	uint64_t states[14];
};

void mapper_init(struct mapper *m, uint32_t wanted, uint32_t page_bytes);
void mapper_free(struct mapper *m);
/* Convert a record. Sets all members of the moment but .index; stamps are not checked. */
void mapper_take(struct mapper *m, const struct record *g, struct monitor_moment *ret);
