/* SPDX-License-Identifier: BSD-3-Clause */
/* below.h - find devices on top of other devices, so that sums count each byte once */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

/*
 * Devices of a node that are on top of other devices of the same type, as a bond is on top of its
 * interfaces: the lines "$below TYPE DEVICE LOWER..." of a header. Zeroed memory is an empty list;
 * below_free() releases it.
 */
struct below {
	struct buf words;	/* words of the lines, each ended by a NUL */
	struct below_pair {
		/*
		 * offsets in .words of a type, a device and a device below it; an empty word
		 * replaces a device that the line lacks
		 */
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
 * devices are on top of others; names are not used to infer this.
 */
bool below_is_declared(struct below *b, struct str type);

/*
 * Return true if below_decide() has rules to decide which devices of this type count, even without
 * "$below" lines: for the types net, block and nfs.
 */
bool below_has_rules(struct str type);

enum below_how {
	BELOW_COUNTS,	/* counts in sums over the devices of a type */
	/* does not count: lo and zram, for example, are no network card or disk */
	BELOW_NEVER,
	BELOW_SAID,	/* does not count: a "$below" line lists it as on top of others */
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
	 * the name is that of a hardware device; if another device has equal counters, this does
	 * not prove that both count the same bytes
	 */
	bool hardware;
};

/*
 * Set .how and .hardware of all n devices of one type. A device on top of any other of the n
 * devices, directly or through further devices, does not count. If devices are on top of each other
 * in a cycle, the first one in d does not count.
 */
void below_decide(struct below *b, struct str type, struct below_device *d, size_t n);

/*
 * Set `disk` to the disk of an NVMe path: "nvme1n2" for the name "nvme1c0n2", which is the path of
 * controller 0 to this disk (drivers/nvme/host/multipath.c). Returns false for other names.
 */
bool below_nvme_path(struct str name, char disk[64]);

/*
 * Splits a counter's total: a sum over devices includes only the counter's growth while its device
 * counted in the sum. If all members are zero, the sum includes the whole total.
 */
struct below_part {
	bool out;		/* the device is not in the sum now */
	uint64_t from;		/* total of the counter when its device last left the sum */
	/* growth of the counter in earlier periods when its device was not in the sum */
	uint64_t without;
};

/* Take the device out of the sum, or put it back in. total: the counter's current total. */
void below_part_set(struct below_part *p, bool out, uint64_t total);

/* Return the part of the current total that the sum includes. */
static inline uint64_t below_part_of(const struct below_part *p, uint64_t total)
{
	return (p->out ? p->from : total) - p->without;
}
