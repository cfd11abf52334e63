/* SPDX-License-Identifier: BSD-3-Clause */
/* below.h - find devices that are on top of others, to count each byte only at the lowest device */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

/*
 * The lines "$below TYPE DEVICE LOWER..." of a header. All zero is a valid empty value;
 * below_free() releases it. Its memory is at most about 16 times the size of the lines.
 */
struct below {
	struct buf words;	/* words of the lines, each with a NUL at its end */
	struct below_pair {
		/* offsets in .words; the offset of an empty word if the line lacks this part */
		uint32_t type, device, lower;
	} *pair;
	size_t n, cap;
	bool sorted;
};

void below_clear(struct below *b);
void below_free(struct below *b);

/*
 * Add a line "TYPE DEVICE LOWER...", or "TYPE" if none of its devices is on top of another. Returns
 * false, and adds nothing, if the line is empty.
 */
bool below_add(struct below *b, struct str line);

/*
 * Return true if the header has a line of this type. If so, the names and counters of devices are
 * not used to find out which devices are on top of others.
 */
bool below_says(struct below *b, struct str type);

/* Return true if there are name rules for the devices of this type: net, block, nfs. */
bool below_has_rules(struct str type);

enum below_how {
	BELOW_COUNTS,
	BELOW_NEVER,	/* never counts, because it is neither network card nor disk: lo, zram */
	BELOW_SAID,	/* is on top of counted devices, as the header says */
	/*
	 * is on top of counted devices, as its name shows; used if the header has no lines of the
	 * type
	 */
	BELOW_INFERRED,
};

struct below_device {
	struct str name;
	enum below_how how;
	/*
	 * The name shows that the device is hardware. If another device has equal counters, this
	 * does not prove that both count the same bytes.
	 */
	bool hardware;
};

/*
 * Set .how and .hardware of all n devices of one type. A device counts if none of the devices below
 * it, at any depth, is in the list. In a cycle, the first device does not count.
 */
void below_decide(struct below *b, struct str type, struct below_device *d, size_t n);

/*
 * Parse a path such as "nvme1c0n2", which is controller 0's path to the disk "nvme1n2"
 * (drivers/nvme/host/multipath.c). Returns false for other names.
 */
bool below_nvme_path(struct str name, char disk[64]);

/*
 * Splits the total of a counter: the device can leave a sum and rejoin it, and only a part of the
 * total belongs to this sum. All zero: the whole total belongs to it.
 */
struct below_part {
	bool out;
	uint64_t from;		/* total when the device left the sum */
	/* growth during earlier times in which the device was out of the sum */
	uint64_t without;
};

/*
 * Take the device out of the sum, or put it back in. `total` is the counter's total at this moment.
 */
void below_part_set(struct below_part *p, bool out, uint64_t total);

static inline uint64_t below_part_of(const struct below_part *p, uint64_t total)
{
	return (p->out ? p->from : total) - p->without;
}
