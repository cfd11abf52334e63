/* SPDX-License-Identifier: BSD-3-Clause */
/* copy_to.h - copy a file of a node into a central archive, and extend the copy later */
#pragma once

#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"

/*
 * A file on the node. read() reads n bytes at offset `at`; it returns the number of bytes read,
 * which is less than n only at the end of the file, or -errno.
 */
struct copy_source {
	ssize_t (*read)(void *arg, char *to, size_t n, uint64_t at);
	void *arg;
};

/*
 * Extend the copy DIR/HOST/EPOCH at least to offset `end` of the source, and sync it. Does nothing
 * if the copy is compressed and has at least that much text. Creates a missing folder HOST, but not
 * DIR. An interrupted copy is continued. Only the first and the last bytes of the text copied
 * before are compared. If the last bytes differ, as after a failure of the node's disk, the whole
 * file is copied again to a temporary file, which then replaces the copy. Adds the number of bytes
 * written to *copied. Returns 0, or -errno with the reason in `why`; -EEXIST if the first bytes
 * differ, because the copy is of another node's file.
 */
int copy_to(const char *dir, const char *host, int64_t epoch, const struct copy_source *from,
	    uint64_t end, uint64_t *copied, struct buf *why) MUST_CHECK;
