/* SPDX-License-Identifier: BSD-3-Clause */
/* copy_to.h - a file of a node's archive into DIR/HOST of a central one, longer each time */
#pragma once

#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"

/* The text of the node's file: so many bytes from there, fewer at its end, or -errno. */
struct copy_source {
	ssize_t (*read)(void *arg, char *to, size_t n, uint64_t at);
	void *arg;
};

/*
 * DIR/HOST/EPOCH has the text up to `end` then, at least, on the disk. A text that is there already
 * is not read but for its begin and its end: a copy that was broken off goes on there, and one that
 * ends in other bytes (the node's disk had failed) is written again, aside, and put into its place.
 * A copy that begins with other bytes is another node's: -EEXIST. *copied gets the bytes that
 * were written. 0 or -errno, and more in why.
 */
int copy_to(const char *dir, const char *host, int64_t epoch, const struct copy_source *from,
	    uint64_t end, uint64_t *copied, struct buf *why) MUST_CHECK;
