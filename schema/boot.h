/* SPDX-License-Identifier: BSD-3-Clause */
/* boot.h - whether a node was booted between two of its records */
#pragma once

#include "schema/record_source.h"

/* All zero is a valid new one; boot_end() ends it. */
struct boot {
	struct buf id;		/* of the newest header */
	int64_t uptime;		/* seconds, at the first record after the newest header */
	int64_t usec;		/* the newest record; 0: there was none */
};

/* Whether it was booted before this record. The source is asked for what its header says. */
bool boot_take(struct boot *b, const struct record *r, const struct record_source *source);
void boot_end(struct boot *b);

/* CLOCK_BOOTTIME of the record in microseconds, from the writer's own row; 0: it is not known. */
int64_t boot_clock(const struct record *r);
