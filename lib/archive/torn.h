/* SPDX-License-Identifier: BSD-3-Clause */
/* torn.h - cut off a torn tail and keep it beside the archive */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/listener.h"

#define TORN_NAME "torn"	/* in DIR/HOST, opened by archive_open_lock() */

/*
 * Truncate a file of DIR/HOST after its last whole group. The tail is kept in DIR/HOST/torn after a
 * line "== TIME FILE OFFSET BYTES": up to 256 KB of each tail and 1 MB in total, the newest ones.
 * `to` is the descriptor of that file, or -errno if it cannot be opened. If the tail cannot be
 * kept, for example because the disk is full, the file is truncated all the same, since otherwise
 * nothing could be written any more. The listener is told. Returns 0 or -errno.
 */
int torn_cut(int to, int fd, const char *name, off_t size, off_t whole,
	     const struct listener *listener) MUST_CHECK;

/* Returns true if the file begins like a file of torn tails. */
bool torn_is(const char *path);
