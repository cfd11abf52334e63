/* SPDX-License-Identifier: BSD-3-Clause */
/* format.h - a reader of one file format: bytes in, records out; see doc/howto-source.md */
#pragma once

#include <sys/types.h>
#include "schema/record_source.h"

#define FORMAT_LOOK 512		/* bytes that knows() gets to detect a format */

/*
 * The source of the bytes. read() returns the number of bytes, at most n; 0 at the end; or -errno.
 * -EAGAIN means that there is no data yet: next() also returns -EAGAIN then, and can be called
 * again later. Only sources of raw files may return it.
 */
struct byte_source {
	ssize_t (*read)(void *arg, char *to, size_t n);
	void *arg;
};

struct record_format {
	const char *name;
	/*
	 * Tell if a file of this format may begin with `first`: FORMAT_LOOK bytes, or the whole
	 * file if it is shorter. NULL for the default format, which gets every file that no other
	 * format claims.
	 */
	bool (*knows)(struct str first);
	/*
	 * Start reading. Never fails: next() reports errors. Copies both arguments; listener may be
	 * NULL.
	 */
	struct record_source (*open)(const struct byte_source *from,
				     const struct record_listener *listener);
};

/* Read the records of a file of any format. Copies both arguments; listener may be NULL. */
struct record_source records_open(const struct byte_source *from,
				  const struct record_listener *listener);
