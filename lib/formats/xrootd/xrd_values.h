/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_values.h - receive the keys and values of a summary packet */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define XRD_KEY_MAX   1023	/* bytes of a key, with all its dots */
#define XRD_DEPTH_MAX 64	/* nested elements below <statistics> */

/*
 * A receiver of values. The header's values come first, in a fixed order (tod ver src tos pgm ins
 * pid), then the host, then the body's values in the order of the packet. A key consists of the
 * names of the elements, joined by dots; <stats id="x"> has the name x. A value with blanks is
 * delivered word by word, and never contains control characters. If the reader fails, discard the
 * values put so far.
 */
struct xrd_values {
	void (*put)(void *arg, struct str key, struct str value);
	void *arg;
	/* faster output of the keys and values as text; NULL: use .put() */
	const struct xrd_lines *lines;
	struct str host;	/* value of the key "host"; empty: none */
	/* also deliver the header's "site", which XRootD's own program never shows */
	bool site;
	/* with .site: also deliver site="" for servers without a site name */
	bool empty_site;
};

/* Each pair as text: the key, `between`, the value, `after`. Example: "oss.paths.0.free 17 ". */
struct xrd_lines {
	struct buf *to;
	char between, after;
};

/* Return the meaning of a reader's error, as a clause without a full stop. */
const char *xrd_why(int error);
