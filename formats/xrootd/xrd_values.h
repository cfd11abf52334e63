/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_values.h - keys and values of a summary packet, and who gets them */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define XRD_KEY_MAX   1023	/* a key with all its dots is no longer */
#define XRD_DEPTH_MAX 64	/* elements within one another below <statistics> */

/*
 * Gets the header's values in fixed order (tod ver src tos pgm ins pid), then the sender's, then
 * the body's in the order of the packet. A key is the names of the elements with dots between them,
 * where <stats id="x"> is called x; a value that holds blanks comes word by word, and never has
 * control characters. After an error the values put so far are to be thrown away.
 */
struct xrd_values {
	void (*put)(void *arg, struct str key, struct str value);
	void *arg;
	const struct xrd_lines *lines;	/* or NULL: puts a pair as .put() does, but faster */
	struct str host;	/* the value of "host", or empty */
	bool site;		/* the header's "site", too: XRootD's own program never shows it */
};

/* Key, one character, value, one character: "oss.paths.0.free 17\n". */
struct xrd_lines {
	struct buf *to;
	char between, after;
};

/* The meaning of a reader's error, as a sentence without a full stop. */
const char *xrd_why(int error);
