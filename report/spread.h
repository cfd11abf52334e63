/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.h - run pieces of work in parallel processes, and collect the results in order */
#pragma once

#include <stddef.h>
#include "base/buf.h"

struct spread {
	/* performs piece i, usually in a child process, and appends its result to out */
	void (*work)(void *arg, size_t i, struct buf *out);
	/* receives the results in order, in this process */
	void (*take)(void *arg, size_t i, struct str result);
	void *arg;
};

/* Return the number of CPUs that this process may use, 16 at most. */
unsigned spread_cpus(void);

/*
 * Run the pieces from first up to but not including end, in the given number of child processes,
 * but at most 16. If a child was killed or could not be started, this process performs the pieces
 * that no child finished. With processes = 1, this process performs all pieces.
 */
void spread_run(const struct spread *s, size_t first, size_t end, unsigned processes);
