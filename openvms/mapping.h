/* SPDX-License-Identifier: BSD-3-Clause */
/* mapping.h - the keys of records for the items of MONITOR's classes */
#pragma once

#include "formats/vms/classes.h"

enum mapping_how {
	MAP_SUM,	/* sum of all devices */
	MAP_ONCE,	/* sum without devices that stand on others, such as bonds and dm */
	MAP_EACH,	/* data block for each device */
	MAP_LESS,	/* like EACH, but subtracted */
	MAP_KEPT,	/* like EACH; if the reading decreases a little, the value stays */
	MAP_QUEUE,	/* like EACH: milliseconds of 32 bits, added up to whole seconds */
	MAP_PAGES,	/* like SUM: KB, converted to pages */
	MAP_STATE,	/* count of the processes in this state */
	MAP_OF,		/* value of another class: type and key name the item there */
};

struct mapping {
	enum vms_class_number class;
	const char *item;
	const char *type, *key;
	enum mapping_how how;
	unsigned per;		/* divisor of the sum; 0 means 1 */
};

extern const struct mapping mappings[];
extern const size_t n_mappings;

/* A component class has one block for each device of .type, or of .also. */
struct mapping_component {
	enum vms_class_number class;
	const char *type, *also;
};
extern const struct mapping_component mapping_components[];
extern const size_t n_mapping_components;

/* Whether a class is made from records of this type. */
bool mapping_wants(size_t number, const char *type);
