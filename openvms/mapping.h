/* SPDX-License-Identifier: BSD-3-Clause */
/* mapping.h - the table of the keys of a record from which each item of MONITOR is computed */
#pragma once

#include "formats/vms/classes.h"

enum mapping_how {
	MAP_SUM,	/* sum of all devices */
	/* sum without devices that are built on other devices, such as bonds and dm */
	MAP_ONCE,
	MAP_EACH,	/* one data block for each device */
	MAP_LESS,	/* like MAP_EACH, but the value is subtracted */
	MAP_KEPT,	/* like MAP_EACH, but small decreases are ignored */
	/* like MAP_EACH, for a 32-bit counter of milliseconds, which wraps */
	MAP_QUEUE,
	MAP_PAGES,	/* like MAP_SUM, but converted from KB to pages */
	MAP_STATE,	/* count of the processes in this state */
	/* computed from another class instead of rows: .type names the class, .key the value */
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

/* A class with a data block for each device of .type or .also. */
struct mapping_component {
	enum vms_class_number class;
	const char *type, *also;
};
extern const struct mapping_component mapping_components[];
extern const size_t n_mapping_components;

/* Add the classes from which some of these classes are computed, to a mask of classes. */
uint32_t mapping_add_sources(uint32_t classes);
/* Return true if the class with this number uses the type. */
bool mapping_wants(size_t number, const char *type);
