/* SPDX-License-Identifier: BSD-3-Clause */
/* below.h - find devices on top of other devices, so that sums count each byte once */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

/*
 * The lines "$below TYPE DEVICE LOWER..." of a header, which list devices on top of others. Zeroed
 * memory is an empty list; below_free() releases it.
 */
struct below {
	struct buf words;	/* words of the lines, each with a NUL */
	struct below_pair {
		/* offsets in .words; a part that the line lacks is an empty word */
		uint32_t type, device, lower;
	} *pair;
	size_t n, cap;
	bool sorted;
};

void below_clear(struct below *b);
void below_free(struct below *b);

/*
 * Add a line "TYPE DEVICE LOWER...", or "TYPE" if no device of the type is on top of another.
 * Returns false if the line is empty.
 */
bool below_add(struct below *b, struct str line);

/*
 * Return true if the header has "$below" lines of this type. These lines alone then tell which
 * devices are on top of others; nothing is inferred from names and values.
 */
bool below_says(struct below *b, struct str type);

/* Return true if there are rules for the names of devices of this type: net, block, nfs. */
bool below_has_rules(struct str type);

enum below_how {
	BELOW_COUNTS,
	BELOW_NEVER,	/* does not count: neither network card nor disk, such as lo and zram */
	BELOW_SAID,	/* does not count: the header lists it on top of others */
	/*
	 * does not count: it is on top of others according to its name, and the header has no lines
	 */
	BELOW_INFERRED,
};

struct below_device {
	struct str name;
	enum below_how how;
	/*
	 * the name is that of hardware: if another device has equal counters, this does not prove
	 * that both count the same bytes
	 */
	bool hardware;
};

/*
 * Set .how and .hardware of all n devices of one type. A device counts if it is on top of no listed
 * device, at any depth. In a cycle, the first device does not count.
 */
void below_decide(struct below *b, struct str type, struct below_device *d, size_t n);

/*
 * Parse a path such as "nvme1c0n2", which is controller 0's path to the disk "nvme1n2"
 * (drivers/nvme/host/multipath.c). Returns false for other names.
 */
bool below_nvme_path(struct str name, char disk[64]);

/*
 * The part of a counter's total that is in a sum. The device may leave the sum and come back. All
 * zero: the whole total.
 */
struct below_part {
	bool out;
	uint64_t from;		/* total when the device left the sum */
	/* growth while the device was out of the sum earlier */
	uint64_t without;
};

/* Take the device out of the sum, or put it back in. total: the counter's current total. */
void below_part_set(struct below_part *p, bool out, uint64_t total);

static inline uint64_t below_part_of(const struct below_part *p, uint64_t total)
{
	return (p->out ? p->from : total) - p->without;
}
