/* SPDX-License-Identifier: BSD-3-Clause */
/* mapping.h - table of the record keys from which each item of OpenVMS MONITOR is computed */
#pragma once

#include "formats/vms/classes.h"

enum mapping_how {
	MAP_SUM,	/* sum of all devices */
	/* sum, without devices that are built on other devices, such as bonds and dm volumes */
	MAP_ONCE,
	MAP_EACH,	/* one data block for each device */
	MAP_LESS,	/* like MAP_EACH, but subtracts the value */
	MAP_KEPT,	/* like MAP_EACH, but small decreases are ignored */
	/* like MAP_EACH, for a 32-bit counter of milliseconds that wraps */
	MAP_QUEUE,
	MAP_PAGES,	/* like MAP_SUM, but converted from KB to pages */
	MAP_STATE,	/* number of processes in the state that .item names */
	/*
	 * computed from another class, which .type names; .key describes the value for the reader
	 */
	MAP_OF,
};

struct mapping {
	enum vms_class_number class;
	const char *item;
	const char *type, *key;
	enum mapping_how how;
	unsigned per;		/* divisor of the sum, to change its unit; 0 means 1 */
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

/* Return a mask with the given classes and the classes from which they are computed. */
uint32_t mapping_add_sources(uint32_t classes);
/* Return true if an item of the class with this number is computed from rows of the type. */
bool mapping_wants(size_t number, const char *type);
