/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper.h - a record becomes the classes of a moment, as the table in mapping.c has it */
#pragma once

#include "base/map.h"
#include "monitor/mapping.h"
#include "monitor/moment.h"
#include "schema/record.h"

#define MAPPER_COMPONENTS 4

/* A device, or process, of a component class. */
struct element {
	struct str name;		/* as the row has it, borrowed */
	uint64_t sum[VMS_ITEMS_MAX];
	uint16_t seen;			/* bit n: item n was read */
	uint64_t key[10];		/* type process: all of its keys */
};

struct elements {
	struct element *e;
	size_t n, cap;
	size_t next;		/* the last that was found: it, or the one after, is likely next */
	size_t n_named;		/* the first of them are in .by_name */
	struct map by_name;
};

/* Which keys of a schema line are in the table. */
struct mapper_type {
	const struct record_type *type;
	size_t n;
	struct mapper_key {
		uint16_t row;		/* of the table */
		int16_t key;
	} key[40];
	bool once;			/* only devices that stand on no others, for MAP_ONCE */
};

/* mapper_init() makes one, mapper_free() ends it. */
struct mapper {
	uint32_t shown, wanted;		/* bit n: class n; STATES needs the number of CPUs */
	uint32_t page_bytes;
	size_t item[160];		/* per row of the table: its place in the class */
	struct mapper_type *type;
	size_t n_types, cap_types;
	struct elements of[MAPPER_COMPONENTS];
	uint64_t sum[VMS_CLASSES][VMS_ITEMS_MAX];
	uint16_t seen[VMS_CLASSES];
	struct below_device *device;	/* of the type that is looked at */
	size_t cap_devices;
	struct map kept;		/* struct kept, by class, item and device */
	uint64_t states[14];
};

void mapper_init(struct mapper *m, uint32_t wanted, uint32_t page_bytes);
void mapper_free(struct mapper *m);
/* Sets all of the moment but .index; stamps are not checked. */
void mapper_take(struct mapper *m, const struct record *g, struct moment *ret);
