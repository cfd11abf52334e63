/* SPDX-License-Identifier: BSD-3-Clause */
/* below.h - find devices on top of other devices, so that sums count each byte once */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

/*
 * List of devices on top of other devices, from the lines "$below TYPE DEVICE LOWER..." of a
 * header. Zeroed memory is an empty list; below_free() releases it.
 */
struct below {
	struct buf words;	/* words of the lines, each ended by a NUL */
	struct below_pair {
		/* offsets of words in .words; a name that the line lacks is an empty word */
		uint32_t type, device, lower;
	} *pair;
	size_t n, cap;
	bool sorted;
};

void below_clear(struct below *b);
void below_free(struct below *b);

/*
 * Add a line "TYPE DEVICE LOWER...". A line with only "TYPE" means that no device of the type is on
 * top of another. Returns false if the line is empty.
 */
bool below_add(struct below *b, struct str line);

/*
 * Return true if the header has "$below" lines of this type. If so, only these lines decide which
 * devices are on top of others; nothing is inferred from names and values.
 */
bool below_is_declared(struct below *b, struct str type);

/*
 * Return true if there are rules by which the name of a device of this type tells which devices are
 * below it: the types net, block and nfs.
 */
bool below_has_rules(struct str type);

enum below_how {
	BELOW_COUNTS,
	/* does not count: a device, such as lo and zram, that is no network card or disk */
	BELOW_NEVER,
	BELOW_SAID,	/* does not count: the header lists it as on top of others */
	/*
	 * does not count: its name implies that it is on top of others, and the header has no
	 * "$below" lines of its type
	 */
	BELOW_INFERRED,
};

struct below_device {
	struct str name;
	enum below_how how;
	/*
	 * the name is that of a hardware device: equal counters of another device do not prove that
	 * both count the same bytes
	 */
	bool hardware;
};

/*
 * Set .how and .hardware of all n devices of one type. A device counts if it is not on top of any
 * of the n devices, at any depth. If devices are on top of each other in a cycle, the first one of
 * d does not count.
 */
void below_decide(struct below *b, struct str type, struct below_device *d, size_t n);

/*
 * Get the disk of a multipath device: the name "nvme1c0n2" means the path of controller 0 to the
 * disk "nvme1n2" (drivers/nvme/host/multipath.c). Returns false for other names.
 */
bool below_nvme_path(struct str name, char disk[64]);

/*
 * The part of a counter's total that belongs to a sum, which its device may leave and join again.
 * If all members are zero, the whole total belongs to the sum.
 */
struct below_part {
	bool out;
	uint64_t from;		/* total of the counter when its device last left the sum */
	/* growth of the counter in earlier times out of the sum */
	uint64_t without;
};

/* Take the device out of the sum, or put it back in. total: the counter's current total. */
void below_part_set(struct below_part *p, bool out, uint64_t total);

static inline uint64_t below_part_of(const struct below_part *p, uint64_t total)
{
	return (p->out ? p->from : total) - p->without;
}
