/* SPDX-License-Identifier: BSD-3-Clause */
/* odd_devices.h - find devices that lack keys of their type's schema, called "odd devices" */
#pragma once

#include "base/listener.h"
#include "schema/node_schema.h"
#include "schema/type.h"

/* The rows of a type in one sample, and the type's schema on this node. */
struct odd_devices {
	const struct type *type;
	const struct rows *rows;
	const uint64_t *mask;
	const struct schema_kinds *kinds;
};

/*
 * Return true if a row lacks a key of its type's schema. Such a row is written with a schema that
 * has fewer keys, called TYPE.2 to TYPE.9; see struct schema_kinds.
 */
bool odd_device(const struct odd_devices *o, size_t row);

/*
 * Append the keys that a row lacks, separated by blanks. With more than `most` keys, append the
 * first `most` and the number of the others: "A B C and 5 more".
 */
void odd_device_put_keys(const struct odd_devices *o, size_t row, size_t most, struct buf *b);

/*
 * Report the odd devices whose schema is new: its index in .kinds is at least kinds_before. Also
 * report devices that fit no schema, whose rows are left out.
 */
void odd_devices_say(const struct odd_devices *o, size_t kinds_before, const struct listener *l);
