/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline.h - a small picture: what nodes did below the roofs of their operations and memory */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

/*
 * The roofs of a node: the most that any has. False where no node has both, or none of both kinds
 * of counts; what is above a roof is drawn there.
 */
struct roofline {
	double flops, bandwidth;	/* operations, bytes a second */
};
bool roofline_of(const struct report *r, struct roofline *ret);

/* As an element "svg", or nothing. */
void roofline_put_svg(struct buf *b, const struct report *r);
