/* SPDX-License-Identifier: BSD-3-Clause */
/* exits_shared.h - what the program in the kernel and the collector of type exits both see */
#pragma once

#include "schema/types/exits.h"

enum { EXITS_NAMES = 256, EXITS_TRIED = 16, EXITS_SLOTS = EXITS_NAMES + 1 };

/* The last slot is of all names that found no other. */
struct exits_name {
	unsigned long long hash;	/* of .name, never 0; 0: the slot is free */
	char name[16];
	unsigned long long value[EXITS_KEYS];	/* EXITS_CPU in ns, EXITS_MEM in pages */
};

struct exits_shared {
	struct exits_name slot[EXITS_SLOTS];
};
