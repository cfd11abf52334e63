/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper.h - compute the classes of MONITOR from a record, by the table in mapping.c */
#pragma once

#include "base/map.h"
#include "openvms/mapping.h"
#include "openvms/moment.h"
#include "schema/record.h"

#define MAPPER_COMPONENTS 4

/* A device or a process: one data block of its class. */
struct element {
	struct str name;		/* device name of its rows, borrowed */
	uint64_t sum[VMS_ITEMS_MAX];
	uint16_t seen;			/* bit n: item n was read from a row */
	uint64_t key[10];		/* for a process, see mapper_take_process() */
};

struct elements {
	struct element *e;
	size_t n, cap;
	/* index of the element found last, where the next search begins */
	size_t next;
	size_t n_named;		/* the first n_named elements are in .by_name */
	struct map by_name;
};

/* A type of a record, and its keys that the table in mapping.c uses. */
struct mapper_type {
	const struct record_type *type;
	size_t n;
	struct mapper_key {
		uint16_t row;		/* index in mappings[] */
		int16_t key;
	} key[40];
	/* MAP_ONCE is used: leave out devices that are built on other devices */
	bool once;
};

/* The converter. mapper_init() sets it up, mapper_free() releases it. */
struct mapper {
	/*
	 * masks of classes: .shown are converted; .wanted also has the classes that these depend on
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
	struct below_device *device;	/* devices of the type that mapper_take_rows() adds */
	size_t cap_devices;
	struct map kept;		/* struct mapper_kept by class, item and device */
	uint64_t states[14];
};

void mapper_init(struct mapper *m, uint32_t wanted, uint32_t page_bytes);
void mapper_free(struct mapper *m);
/*
 * Convert a record. The caller sets .stamp and .index of the moment before; mapper_take() sets all
 * other members.
 */
void mapper_take(struct mapper *m, const struct record *g, struct monitor_moment *ret);
