/* SPDX-License-Identifier: BSD-3-Clause */
/* mapping.h - which keys of records are which items of MONITOR's classes */
#pragma once

#include "formats/vms/classes.h"

enum mapping_how {
	MAP_SUM,	/* of all devices */
	MAP_ONCE,	/* of those that stand on no others: bonds and dm count for none */
	MAP_EACH,	/* a data block per device */
	MAP_LESS,	/* EACH, and taken off */
	MAP_KEPT,	/* EACH, and may fall a little: then it stays as it is */
	MAP_QUEUE,	/* EACH, milliseconds of 32 bits: whole seconds, added up */
	MAP_PAGES,	/* SUM, KB in pages */
	MAP_STATE,	/* the state of each process, counted */
	MAP_OF,		/* the same as an item of another class: type and key name that */
};

struct mapping {
	enum vms_class_number class;
	const char *item;
	const char *type, *key;
	enum mapping_how how;
	unsigned per;		/* the sum is divided by it; 0: 1 */
};

extern const struct mapping mappings[];
extern const size_t n_mappings;

/* The blocks of a component class are the devices of this type; or of .also. */
struct mapping_component {
	enum vms_class_number class;
	const char *type, *also;
};
extern const struct mapping_component mapping_components[];
extern const size_t n_mapping_components;

/* A class is made of records of this type. */
bool mapping_wants(size_t number, const char *type);
