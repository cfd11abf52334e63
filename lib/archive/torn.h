/* SPDX-License-Identifier: BSD-3-Clause */
/* torn.h - the end of a file that is no whole group is cut off and kept beside the archive */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/listener.h"

#define TORN_NAME "torn"	/* in DIR/HOST, opened as archive_open_lock() does */

/*
 * Cuts a file of the folder DIR/HOST off behind its last whole group. The rest goes into
 * DIR/HOST/torn behind a line "== TIME FILE OFFSET BYTES": the newest such pieces, 1 MB of them,
 * and 256 KB of each. to is that file, or why it cannot be opened: where nothing can be kept, since
 * the disk is full for one, the file is cut off all the same, else nothing could be written any
 * more. The listener hears of it. 0 or -errno.
 */
int torn_cut(int to, int fd, const char *name, off_t size, off_t whole,
	     const struct listener *listener) MUST_CHECK;

/* Whether a file with this name begins as that one does. */
bool torn_is(const char *path);
