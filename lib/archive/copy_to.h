/* SPDX-License-Identifier: BSD-3-Clause */
/* copy_to.h - copy a file of a node into a central archive, and extend the copy later */
#pragma once

#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"

/*
 * The text of the node's file. read() returns the bytes read at offset `at`, fewer than n only at
 * the end, or -errno.
 */
struct copy_source {
	ssize_t (*read)(void *arg, char *to, size_t n, uint64_t at);
	void *arg;
};

/*
 * Bring DIR/HOST/EPOCH up to offset `end` of the source at least, and sync it. Only the first and
 * last bytes of text that was copied before are compared: an interrupted copy continues there. A
 * copy whose end differs (the node's disk had failed) is written again under a temporary name and
 * then replaced. *copied gets the number of bytes written.
 *
 * Returns 0 or -errno and explains it in `why`; -EEXIST if the copy begins with other bytes, so
 * that it belongs to another node.
 */
int copy_to(const char *dir, const char *host, int64_t epoch, const struct copy_source *from,
	    uint64_t end, uint64_t *copied, struct buf *why) MUST_CHECK;
