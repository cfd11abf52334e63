/* SPDX-License-Identifier: BSD-3-Clause */
/* written.h - drop accesses from a loaded state if a killed receiver has written their lines */
#pragma once

#include "xrootd/join/xrd_join.h"

enum written_which {
	WRITTEN_ALL,
	/* only accesses with a close in the state: a broker delivers the other closes again */
	WRITTEN_CLOSED,
};

/*
 * Read complete lines of a --transfers file from byte `from` on, and remove accesses that have
 * ended from the join. *n: number of accesses removed. Returns 0; -EFBIG if a line is longer than
 * this program writes; or another -errno.
 */
int written_remove(int fd, uint64_t from, struct xrd_join *j, enum written_which which,
		   uint64_t *n) MUST_CHECK;

/* Remove the access of one line. Returns true if the join had it. */
bool written_remove_one(struct xrd_join *j, struct str line, enum written_which which);
