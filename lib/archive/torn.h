/* SPDX-License-Identifier: BSD-3-Clause */
/* torn.h - cut off an incomplete record group, a "torn tail", and keep it in the file "torn" */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/listener.h"

#define TORN_NAME "torn"	/* file in DIR/HOST, opened by archive_open_lock() */

/*
 * Truncate a file of DIR/HOST after its last whole record. Append what was cut off to
 * DIR/HOST/torn, after a line "== TIME FILE OFFSET BYTES". That file keeps up to 256 KB of each
 * torn tail, and the newest 1 MB in total. `to` is the descriptor of that file, or -errno if it
 * cannot be opened. If the torn tail cannot be kept, for example because the disk is full, the file
 * is truncated nevertheless, since nothing could be appended otherwise. The listener is informed.
 * Returns 0 or -errno.
 */
int torn_cut(int to, int fd, const char *name, off_t size, off_t whole,
	     const struct listener *listener) MUST_CHECK;

/* Returns true if the file begins as a file of torn tails does. */
bool torn_is(const char *path);
