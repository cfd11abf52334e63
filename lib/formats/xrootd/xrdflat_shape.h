/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.h - read a packet by comparing it with the server's last packet */
#pragma once

#include "formats/xrootd/xrd_values.h"

/*
 * A template of a server's packets: the last packet, the offsets of its values, and its output. In
 * the next packet, some values differ, but not the tags. If a packet matches, only changed values
 * are formatted; the output is the same as that of the full reader.
 */
struct xrd_shape;
struct xrd_shapes;

/*
 * The templates of all servers, for xrd_read_plain(). The caller must use .lines, with the same
 * .between, .after and .site in all calls.
 */
struct xrd_shapes *xrd_shapes_new(void);
void xrd_shapes_free(struct xrd_shapes *all);

/* A value ends at a quote in the header, at "<" in the body. */
enum xrd_part { XRD_HEADER, XRD_BODY };

/* Return the template for packets of this source. It may be empty or of another server. */
struct xrd_shape *xrd_shape_of(struct xrd_shapes *all, struct str source);

/*
 * Output a packet that matches the template. Returns false, without output, if it does not match.
 * to->lines must have the same characters in all calls.
 */
bool xrd_shape_put(struct xrd_shape *s, struct str packet, const struct xrd_values *to);

/*
 * Make a template: begin, add all texts of the packet with their keys in order, and end. The texts
 * must point into the packet. An empty key means no output.
 */
void xrd_shape_begin(struct xrd_shape *s, struct str packet);
void xrd_shape_add(struct xrd_shape *s, enum xrd_part part, struct str key, struct str text);
void xrd_shape_give_up(struct xrd_shape *s);
void xrd_shape_end(struct xrd_shape *s, struct str packet, const struct xrd_lines *as);
