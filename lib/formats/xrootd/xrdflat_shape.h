/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.h - read a packet by comparing it with the server's last packet */
#pragma once

#include "formats/xrootd/xrd_values.h"

/*
 * A template of a server's packets: the last packet, the offsets of its values, and the output for
 * it. A packet matches if it differs from the last packet only in values, not in tags. Then only
 * changed values are formatted; the output is the same as that of the full reader.
 */
struct xrd_shape;
struct xrd_shapes;

/*
 * The templates of all servers, for xrd_read_plain(). The caller must use .lines, with the same
 * .between, .after and .site in all calls.
 */
struct xrd_shapes *xrd_shapes_new(void);
void xrd_shapes_free(struct xrd_shapes *all);

/*
 * The part of a packet that a value is in. A value in the header ends at a quote, a value in the
 * body at "<".
 */
enum xrd_part { XRD_HEADER, XRD_BODY };

/*
 * Return the template for packets of this source. The template may be empty or belong to another
 * server.
 */
struct xrd_shape *xrd_shape_of(struct xrd_shapes *all, struct str source);

/*
 * Append the output for a packet that matches the template. Returns false, and appends nothing, if
 * the packet does not match. to->lines must have the same characters in all calls.
 */
bool xrd_shape_put(struct xrd_shape *s, struct str packet, const struct xrd_values *to);

/*
 * Make a template: call xrd_shape_begin(), then xrd_shape_add() for each text of the packet and its
 * key, in order, then xrd_shape_end(). The texts must point into the packet. A text with an empty
 * key has no output.
 */
void xrd_shape_begin(struct xrd_shape *s, struct str packet);
void xrd_shape_add(struct xrd_shape *s, enum xrd_part part, struct str key, struct str text);
void xrd_shape_give_up(struct xrd_shape *s);
void xrd_shape_end(struct xrd_shape *s, struct str packet, const struct xrd_lines *as);
