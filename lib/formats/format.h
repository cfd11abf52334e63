/* SPDX-License-Identifier: BSD-3-Clause */
/* format.h - the interface of a file format, see doc/howto-source.md */
#pragma once

#include <sys/types.h>
#include "schema/record_source.h"

#define FORMAT_LOOK 512		/* number of bytes that knows() gets to detect a format */

/*
 * A source of the bytes of a file. read() returns the number of bytes read, at most n; 0 at the
 * end; or -errno. -EAGAIN means that there are no bytes yet; only sources of raw files may return
 * it. Then next() of struct record_source also returns -EAGAIN, and can be called again.
 */
struct byte_source {
	ssize_t (*read)(void *arg, char *to, size_t n);
	void *arg;
};

struct record_format {
	const char *name;
	/*
	 * Return true if a file that begins with `first` has this format. `first` has FORMAT_LOOK
	 * bytes, or all bytes of a shorter file. NULL: the default format, for files that no other
	 * format claims.
	 */
	bool (*knows)(struct str first);
	/*
	 * Start reading. open() does not fail: next() of the record source reports all errors.
	 * Copies both arguments; listener may be NULL.
	 */
	struct record_source (*open)(const struct byte_source *from,
				     const struct record_listener *listener);
};

/* Detect the format of a file and read its records. Copies both arguments; listener may be NULL. */
struct record_source records_open(const struct byte_source *from,
				  const struct record_listener *listener);
