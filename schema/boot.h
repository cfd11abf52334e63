/* SPDX-License-Identifier: BSD-3-Clause */
/* boot.h - detect if a node was booted between two of its records */
#pragma once

#include "schema/record_source.h"

/* The last state of a node. All zero is a valid start; boot_end() releases it. */
struct boot {
	struct buf id;		/* boot id in the newest header */
	int64_t uptime;		/* uptime in seconds, at the first record after the newest header */
	int64_t usec;		/* time of the newest record, microseconds; 0: no record yet */
};

/*
 * Tell if the node was booted between the previous record and this record. Reads the header
 * properties of the source.
 */
bool boot_take(struct boot *b, const struct record *r, const struct record_source *source);
void boot_end(struct boot *b);

/*
 * Return CLOCK_BOOTTIME of the record in microseconds, from the writer's own row, or 0 if unknown.
 */
int64_t boot_clock(const struct record *r);
