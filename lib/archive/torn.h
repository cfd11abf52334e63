/* SPDX-License-Identifier: BSD-3-Clause */
/* torn.h - cut off an incomplete record group, a "torn tail", and keep it in the file "torn" */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/listener.h"

#define TORN_NAME "torn"	/* file in DIR/HOST, opened by archive_open_lock() */

/*
 * Truncate a file of DIR/HOST after its last complete record (offset `whole`), and append the part
 * cut off to DIR/HOST/torn, after a line "== TIME FILE OFFSET BYTES". `to` is the descriptor of the
 * file torn, or -errno if that cannot be opened. The file torn keeps up to 256 KB of each torn
 * tail, and has at most 1 MB: if another does not fit, all older torn tails are discarded. If the
 * torn tail cannot be kept, the file is truncated nevertheless, so that records can be appended.
 * Reports to the listener. Returns 0 or -errno.
 */
int torn_cut(int to, int fd, const char *name, off_t size, off_t whole,
	     const struct listener *listener) MUST_CHECK;

/* Returns true if the file is a file of torn tails, or may be one that this user may not read. */
bool torn_is(const char *path);
