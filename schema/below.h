/* SPDX-License-Identifier: BSD-3-Clause */
/* below.h - which devices stand on which, so that each byte is counted once, at the lowest */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

/*
 * A header's lines "$below TYPE DEVICE LOWER...". All zero is a valid empty one; below_free() ends
 * it. Its memory is at most some 16 times the size of the lines added.
 */
struct below {
	struct buf words;	/* each with a NUL */
	struct below_pair {
		uint32_t type, device, lower;	/* in .words; "" where there is none */
	} *pair;
	size_t n, cap;
	bool sorted;
};

void below_clear(struct below *b);
void below_free(struct below *b);

/*
 * "TYPE DEVICE LOWER...", or "TYPE": none of its devices stands on another. False: there is no
 * word, and nothing was taken.
 */
bool below_add(struct below *b, struct str line);

/* Whether there was a line of this type: then names and counters are not asked. */
bool below_says(struct below *b, struct str type);

/* Whether there are rules for the devices of this type: net, block, nfs. */
bool below_has_rules(struct str type);

enum below_how {
	BELOW_COUNTS,
	BELOW_NEVER,	/* no wire, no disk: lo, zram */
	BELOW_SAID,	/* stands on others that count: by the header, */
	BELOW_INFERRED,	/* or by its name, where no header says so */
};

struct below_device {
	struct str name;
	enum below_how how;
	bool hardware;		/* by its name: equal counters do not make it another's double */
};

/*
 * Sets .how and .hardware of n devices of one type, all that there are. A device counts if none of
 * those that it stands on is among them, however far below; in a circle the first of them does not.
 */
void below_decide(struct below *b, struct str type, struct below_device *d, size_t n);

/* "nvme1c0n2", controller 0's path to the disk "nvme1n2" (drivers/nvme/host/multipath.c). */
bool below_nvme_path(struct str name, char disk[64]);

/* The part of a counter's total in a sum that its device joins late or leaves. Zero: all. */
struct below_part {
	bool out;
	uint64_t from;		/* the total when the device left, */
	uint64_t without;	/* and its growth outside the sum before that */
};

/* From this total on it is out, or in. */
void below_part_set(struct below_part *p, bool out, uint64_t total);

static inline uint64_t below_part_of(const struct below_part *p, uint64_t total)
{
	return (p->out ? p->from : total) - p->without;
}
