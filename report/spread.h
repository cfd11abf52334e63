/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.h - pieces of work that processes do side by side, and that are taken in their order */
#pragma once

#include <stddef.h>
#include "base/buf.h"

struct spread {
	/* Does piece i and adds what came of it to out; in a process of its own, or in this one. */
	void (*work)(void *arg, size_t i, struct buf *out);
	/* In this process, for each piece, in order. */
	void (*take)(void *arg, size_t i, struct str result);
	void *arg;
};

/* As many processes as this one may have CPUs, 16 at most. */
unsigned spread_cpus(void);

/*
 * Runs pieces [first, end). Pieces that a process leaves undone, because it was killed or could not
 * be made, are done in this one. With processes 1 all of them are.
 */
void spread_run(const struct spread *s, size_t first, size_t end, unsigned processes);
