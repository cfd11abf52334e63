/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.h - the last packet of each server and its lines: what changed is read again */
#pragma once

#include "formats/xrootd/xrd_values.h"

/*
 * From one packet to the next, some values change and tags do not. A shape has the last packet of a
 * server, where its values are, and the lines that were put of it: bytes that are the same again
 * give the same lines. A shape puts exactly the lines that the reader puts from which it was
 * learnt.
 */
struct xrd_shape;
struct xrd_shapes;

/*
 * Memory of xrd_read_plain() from packet to packet, to be faster: for xrd_values with .lines only,
 * of which all have the same .between, .after and .site.
 */
struct xrd_shapes *xrd_shapes_new(void);
void xrd_shapes_free(struct xrd_shapes *all);

/* Where a value is: it ends with a quote in the header, and with "<" in the body. */
enum xrd_part { XRD_HEADER, XRD_BODY };

/* The shape of the server that says it is this; it may be empty, or another server's. */
struct xrd_shape *xrd_shape_of(struct xrd_shapes *all, struct str source);

/*
 * False, and nothing was put: the packet is not of this shape. To .lines, which must be there and
 * be the same in all calls but for the buffer.
 */
bool xrd_shape_put(struct xrd_shape *s, struct str packet, const struct xrd_values *to);

/* To learn one: each text of a packet in turn, with its key (none: not put). */
void xrd_shape_begin(struct xrd_shape *s, struct str packet);
void xrd_shape_add(struct xrd_shape *s, enum xrd_part part, struct str key, struct str text);
void xrd_shape_give_up(struct xrd_shape *s);
void xrd_shape_end(struct xrd_shape *s, struct str packet, const struct xrd_lines *as);
