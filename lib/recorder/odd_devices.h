/* SPDX-License-Identifier: BSD-3-Clause */
/* odd_devices.h - list "odd devices", which lack keys that other devices of their type have */
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
 * Return true if the device of a row is odd: the row lacks a key of the type's schema, TYPE. Rows
 * of odd devices are written with further schemas, TYPE.2 to TYPE.9, which have fewer keys. Each of
 * these schemas is a "kind" of odd device, see struct schema_kinds.
 */
bool odd_device(const struct odd_devices *o, size_t row);

/*
 * Append the keys that a row lacks, separated by blanks. If there are more than `most` keys, append
 * the first `most` keys and the number of the others: "A B C and 5 more".
 */
void odd_device_put_keys(const struct odd_devices *o, size_t row, size_t most, struct buf *b);

/*
 * Report odd devices whose kind is new: its index in .kinds is at least kinds_before. Also report
 * rows that are left out because they fit no kind.
 */
void odd_devices_say(const struct odd_devices *o, size_t kinds_before, const struct listener *l);
