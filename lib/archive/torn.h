/* SPDX-License-Identifier: BSD-3-Clause */
/* torn.h - cut off an incomplete record group, a "torn tail", and keep it in the file "torn" */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/listener.h"

#define TORN_NAME "torn"	/* file in DIR/HOST, opened by archive_open_lock() */

/*
 * Truncate a file of DIR/HOST after its last whole record, and append the rest to DIR/HOST/torn
 * after a line "== TIME FILE OFFSET BYTES". `to` is the descriptor of that file, or -errno if it
 * cannot be opened. The file keeps up to 256 KB of each torn tail, and has at most 1 MB: older torn
 * tails are all discarded when another does not fit. If the rest cannot be kept, the file is
 * truncated nevertheless, so that records can be appended. Reports to the listener. Returns 0 or
 * -errno.
 */
int torn_cut(int to, int fd, const char *name, off_t size, off_t whole,
	     const struct listener *listener) MUST_CHECK;

/* Returns true if the file is a file of torn tails, or may be one that this user may not read. */
bool torn_is(const char *path);
