/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat.h - read XRootD's summary packets as keys ("oss.paths.0.free") and values */
#pragma once

#include "base/base.h"
#include "formats/xrootd/xrd_values.h"

struct xrd_shapes;	/* see xrdflat_shape.h */

/*
 * Read the plain form that XRootD sends. Its deviations from XML are accepted: an end tag without
 * ">", names that are numbers, and a value in the last tag, </statistics toe="1">. shapes:
 * remembers earlier packets; may be NULL. Returns 0, or -EAGAIN if the packet is not plain: call
 * xrd_read_xml() then.
 */
int xrd_read_plain(struct str packet, const struct xrd_values *to, struct xrd_shapes *shapes)
	MUST_CHECK;

/*
 * Read any well-formed XML without a document type. Returns 0, -EBADMSG, -E2BIG, or -EOPNOTSUPP if
 * built without expat.
 */
int xrd_read_xml(struct str packet, const struct xrd_values *to) MUST_CHECK;

/* Return true if the packet is JSON, for xrd_read_json(), and false if it is XML. */
static inline bool xrd_is_json(struct str packet)
{
	return str_peek(packet) == '{';
}
/* Read the sets of counters that servers since 5.9 send as JSON. Returns 0, -EBADMSG or -E2BIG. */
int xrd_read_json(struct str packet, const struct xrd_values *to) MUST_CHECK;

#define XRD_COMPAT_BYTES 8190	/* mpxstats reads no more bytes of a packet */
/*
 * Read a packet exactly as mpxstats of XRootD 5.5.3 does. Returns 0, or -EBADMSG if mpxstats would
 * print nothing.
 */
int xrd_read_compat(struct str packet, const struct xrd_values *to) MUST_CHECK;
