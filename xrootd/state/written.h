/* SPDX-License-Identifier: BSD-3-Clause */
/* written.h - compare a state with the lines that a killed receiver wrote after saving it */
#pragma once

#include "xrootd/join/xrd_join.h"

enum written_which {
	WRITTEN_ALL,
	/*
	 * remove only accesses whose close is in the state, because a broker delivers the other
	 * closes again
	 */
	WRITTEN_CLOSED,
};

/*
 * Read whole lines of a --transfers file from byte `from` on. If a line reports that an access has
 * ended, remove the access from the join. *n: number of accesses removed. Returns 0 or -errno;
 * -EFBIG if a line is longer than this program writes.
 */
int written_remove(int fd, uint64_t from, struct xrd_join *j, enum written_which which,
		   uint64_t *n) MUST_CHECK;

/* Remove the access of one line. Returns true if the join had it. */
bool written_remove_one(struct xrd_join *j, struct str line, enum written_which which);
