/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat.h - XRootD's summary packets, <statistics ...>, as keys and values: "oss.paths.0.free" */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/str.h"

#define XRD_KEY_MAX   1023	/* a key with all its dots is no longer */
#define XRD_DEPTH_MAX 64	/* elements within one another below <statistics> */

/*
 * Gets the header's values in fixed order (tod ver src tos pgm ins pid), then the sender's, then
 * the body's in the order of the packet. A key is the names of the elements with dots between
 * them, where <stats id="x"> is called x; a value that holds blanks comes word by word, and never
 * has control characters. What was put before an error is to be thrown away.
 */
struct xrd_values {
	void (*put)(void *arg, struct str key, struct str value);
	void *arg;
	struct str host;	/* the value of "host", or empty */
	bool site;		/* the header's "site", too: XRootD's own program never shows it */
};

struct xrd_shapes;

/* What an error means, as a sentence without a full stop. */
const char *xrd_why(int error);

/*
 * The plain form in which XRootD sends, and where it strays from XML: none of ">" at the end of an
 * end tag, names that are numbers, a value in the last tag: </statistics toe="1">.
 * -EAGAIN: not that plain, xrd_read_xml() knows; nothing else is ever returned but 0.
 */
int xrd_read_plain(struct str packet, const struct xrd_values *to, struct xrd_shapes *shapes)
	MUST_CHECK;

/* What xrd_read_plain() remembers from packet to packet, to be faster; NULL: nothing. */
struct xrd_shapes *xrd_shapes_new(void);
void xrd_shapes_free(struct xrd_shapes *all);

/* Any well-formed XML without a document type. -EBADMSG, -E2BIG; -EOPNOTSUPP: there is no expat. */
int xrd_read_xml(struct str packet, const struct xrd_values *to) MUST_CHECK;

/* The sets of counters that servers since 5.9 send as JSON. -EBADMSG, -E2BIG. */
static inline bool xrd_is_json(struct str packet)
{
	return str_peek(packet) == '{';
}
int xrd_read_json(struct str packet, const struct xrd_values *to) MUST_CHECK;

/* What mpxstats of XRootD 5.5.3 makes of it, odd as it may be. -EBADMSG: nothing at all. */
#define XRD_COMPAT_BYTES 8190	/* it reads no more of a packet */
int xrd_read_compat(struct str packet, const struct xrd_values *to) MUST_CHECK;
