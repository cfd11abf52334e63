/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat.h - XRootD's summary packets, <statistics ...>, as keys and values: "oss.paths.0.free" */
#pragma once

#include "base/base.h"
#include "formats/xrootd/xrd_values.h"

struct xrd_shapes;	/* xrdflat_shape.h */

/*
 * The plain form in which XRootD sends, and where it strays from XML: none of ">" at the end of an
 * end tag, names that are numbers, a value in the last tag: </statistics toe="1">.
 * -EAGAIN: not that plain, xrd_read_xml() knows; nothing else is ever returned but 0.
 * Without shapes it remembers nothing from packet to packet.
 */
int xrd_read_plain(struct str packet, const struct xrd_values *to, struct xrd_shapes *shapes)
	MUST_CHECK;

/* Any well-formed XML without a document type. -EBADMSG, -E2BIG; -EOPNOTSUPP: there is no expat. */
int xrd_read_xml(struct str packet, const struct xrd_values *to) MUST_CHECK;

/* The sets of counters that servers since 5.9 send as JSON. -EBADMSG, -E2BIG. */
static inline bool xrd_is_json(struct str packet)
{
	return str_peek(packet) == '{';
}
int xrd_read_json(struct str packet, const struct xrd_values *to) MUST_CHECK;

/* Values as mpxstats of XRootD 5.5.3 gives them, odd as they may be. -EBADMSG: none at all. */
#define XRD_COMPAT_BYTES 8190	/* mpxstats reads no more of a packet */
int xrd_read_compat(struct str packet, const struct xrd_values *to) MUST_CHECK;
