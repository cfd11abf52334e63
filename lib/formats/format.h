/* SPDX-License-Identifier: BSD-3-Clause */
/* format.h - what a format of files of records is: bytes in, records out; see HOWTO-SOURCE */
#pragma once

#include <sys/types.h>
#include "schema/record_source.h"

#define FORMAT_LOOK 512		/* bytes by which a file's format is known */

/*
 * Where the bytes come from: n bytes at most, 0 at the end, or -errno. -EAGAIN, of raw files only:
 * there are none now; next() says the same, and can be called again.
 */
struct byte_source {
	ssize_t (*read)(void *arg, char *to, size_t n);
	void *arg;
};

struct record_format {
	const char *name;
	/*
	 * Whether a file that begins so is one. There are FORMAT_LOOK bytes, or all that the file
	 * has. NULL: of it are those that no other format knows.
	 */
	bool (*knows)(struct str first);
	/* Never fails: what is wrong, next() says. Both are copied; listener may be NULL. */
	struct record_source (*open)(const struct byte_source *from,
				     const struct record_listener *listener);
};

/* The records of a file, whatever its format is; likewise. */
struct record_source records_open(const struct byte_source *from,
				  const struct record_listener *listener);
