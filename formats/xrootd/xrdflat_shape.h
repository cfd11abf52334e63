/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.h - what the packets of a server have in common: all but the values */
#pragma once

#include "base/base.h"
#include "formats/xrootd/xrd_values.h"

/*
 * From one packet to the next, values change and tags do not. A shape has the bytes between the
 * values and the key of each; to find the same bytes again is two times faster than reading tags.
 * What it puts is exactly what the reader that it was learnt from puts.
 */
struct xrd_shape;
struct xrd_shapes;

/* What xrd_read_plain() remembers from packet to packet, to be faster. */
struct xrd_shapes *xrd_shapes_new(void);
void xrd_shapes_free(struct xrd_shapes *all);

/* The shape of the server that says it is this; it may be empty, or another server's. */
struct xrd_shape *xrd_shape_of(struct xrd_shapes *all, struct str source);

/* False, and nothing was put: the body (behind the header) is not of this shape. */
bool xrd_shape_put(struct xrd_shapes *all, const struct xrd_shape *s, struct str body,
		   const struct xrd_values *to);

/* To learn one: the body's start, each text with its key (none: not put), the body's end. */
void xrd_shape_begin(struct xrd_shape *s, const char *body);
void xrd_shape_add(struct xrd_shape *s, struct str key, struct str text);
void xrd_shape_end(struct xrd_shape *s, const char *end);
