/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_values.h - the interface that receives the keys and values of a summary packet */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define XRD_KEY_MAX   1023	/* longest key, in bytes */
#define XRD_DEPTH_MAX 64	/* limit of nested elements */

/*
 * A receiver of the keys and values of a packet: first the header (tod ver src tos pgm ins pid, in
 * this order), then the host, then the body in the order of the packet. A key consists of the names
 * of the elements around the value, joined by dots; <stats id="x"> has the name x. A value with
 * blanks is put word by word. Values never contain control characters, except those from
 * xrd_read_compat(). After an error, discard the values of this packet that were already put.
 */
struct xrd_values {
	void (*put)(void *arg, struct str key, struct str value);
	void *arg;
	/*
	 * output for xrd_read_plain(), which is faster if a packet matches a template; .put() gets
	 * the values of all other packets, and must write them in the same form; NULL: use no
	 * templates
	 */
	const struct xrd_lines *lines;
	struct str host;	/* value of the key "host"; empty: none */
	/* also put the header's "site", which mpxstats omits */
	bool site;
	/* with .site: also put an empty site name */
	bool empty_site;
};

/* Output of values as text: key, `between`, value, `after`. Example: "oss.paths.0.free 17 ". */
struct xrd_lines {
	struct buf *to;
	char between, after;
};

/* Describe an error of the readers for a message, as a clause without a full stop. */
const char *xrd_why(int error);
