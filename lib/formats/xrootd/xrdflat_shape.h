/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.h - reuse the output of a server's last packet, except changed values */
#pragma once

#include "formats/xrootd/xrd_values.h"

/*
 * From one packet of a server to the next, some values change, but the tags do not. A shape has the
 * last packet of a server, the places of its values, and the lines that were output for it: equal
 * bytes produce equal lines. For a packet that matches the shape, xrd_shape_put() outputs exactly
 * the lines that the reader which made the shape, such as xrd_read_plain(), would output.
 */
struct xrd_shape;
struct xrd_shapes;

/*
 * The shapes of all servers, which make xrd_read_plain() faster. They work only for xrd_values with
 * .lines, and .between, .after and .site must be the same in all calls.
 */
struct xrd_shapes *xrd_shapes_new(void);
void xrd_shapes_free(struct xrd_shapes *all);

/* Parts of a packet. A value ends at a quote in the header, and at "<" in the body. */
enum xrd_part { XRD_HEADER, XRD_BODY };

/*
 * Return the shape to use for packets from this source. The shape may be empty or belong to another
 * server.
 */
struct xrd_shape *xrd_shape_of(struct xrd_shapes *all, struct str source);

/*
 * Put the packet's lines to to->lines. Apart from the buffer, to->lines must be the same in all
 * calls. Returns false, and puts nothing, if the packet does not match the shape.
 */
bool xrd_shape_put(struct xrd_shape *s, struct str packet, const struct xrd_values *to);

/*
 * Make a shape from a packet: begin, add each text of the packet in order with its key, and end. An
 * empty key marks a text that is not output.
 */
void xrd_shape_begin(struct xrd_shape *s, struct str packet);
void xrd_shape_add(struct xrd_shape *s, enum xrd_part part, struct str key, struct str text);
void xrd_shape_give_up(struct xrd_shape *s);
void xrd_shape_end(struct xrd_shape *s, struct str packet, const struct xrd_lines *as);
