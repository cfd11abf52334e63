/* SPDX-License-Identifier: BSD-3-Clause */
/* written.h - compare a state with the lines that a killed receiver wrote after saving it */
#pragma once

#include "xrootd/join/xrd_join.h"

/*
 * Remove the accesses from the join that whole lines of the file (--transfers --format nodometer)
 * report as ended, from byte `from` on. *n: number of accesses removed. Returns 0 or -errno.
 */
int written_remove(int fd, uint64_t from, struct xrd_join *j, uint64_t *n) MUST_CHECK;

/* Remove the access of one line. Returns true if the join had it. */
bool written_remove_one(struct xrd_join *j, struct str line);
