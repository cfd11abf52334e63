/* SPDX-License-Identifier: BSD-3-Clause */
/* boot.h - find out whether a node was booted between two of its records */
#pragma once

#include "schema/record_source.h"

/*
 * State for detecting boots of a node, from its records so far. Zeroed memory is a valid start;
 * boot_end() releases it.
 */
struct boot {
	struct buf id;		/* boot id in the newest header */
	int64_t uptime;		/* seconds of uptime at the first record after the newest header */
	int64_t usec;		/* time of the newest record, microseconds; 0: no record yet */
};

/*
 * Take the next record. Returns true if the node was booted between the previous record and this
 * record. Reads boot id and uptime from the header of the source.
 */
bool boot_take(struct boot *b, const struct record *r, const struct record_source *source);
void boot_end(struct boot *b);

/*
 * Return the CLOCK_BOOTTIME of the record in microseconds, from row "-" of type nodometer; 0 if
 * unknown.
 */
int64_t boot_clock(const struct record *r);
