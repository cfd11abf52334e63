/* SPDX-License-Identifier: BSD-3-Clause */
/* mapping.h - the keys of records for the items of MONITOR's classes */
#pragma once

#include "formats/vms/classes.h"

enum mapping_how {
	MAP_SUM,	/* sum of all devices */
	/* sum without devices that are built on other devices, such as bonds and dm */
	MAP_ONCE,
	MAP_EACH,	/* data block for each device */
	MAP_LESS,	/* like MAP_EACH, but subtracted */
	MAP_KEPT,	/* like MAP_EACH; if the reading decreases a little, the value stays */
	MAP_QUEUE,	/* like MAP_EACH: milliseconds of 32 bits, added up to whole seconds */
	MAP_PAGES,	/* like MAP_SUM: KB, converted to pages */
	MAP_STATE,	/* count of the processes in this state */
	/*
	 * value of an item of another class: .type is the name of that class, .key the name of the
	 * item
	 */
	MAP_OF,
};

struct mapping {
	enum vms_class_number class;
	const char *item;
	const char *type, *key;
	enum mapping_how how;
	unsigned per;		/* the sum is divided by this number; 0 means 1 */
};

extern const struct mapping mappings[];
extern const size_t n_mappings;

/* The types of a component class: it has one block for each device of .type, or of .also. */
struct mapping_component {
	enum vms_class_number class;
	const char *type, *also;
};
extern const struct mapping_component mapping_components[];
extern const size_t n_mapping_components;

/* Return true if a class is made from records of this type. */
bool mapping_wants(size_t number, const char *type);
