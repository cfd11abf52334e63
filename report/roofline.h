/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline.h - draw a small roofline chart of the nodes' FLOP/s and memory bandwidth */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

/*
 * The peak rates that form the roof of the chart: for each rate, the largest peak of any node.
 * roofline_of() returns false if no node has both peaks and both measured rates. A node whose rates
 * exceed these peaks is drawn above the roof.
 */
struct roofline {
	double flops, bandwidth;	/* FLOP/s and bytes/s */
};
bool roofline_of(const struct report *r, struct roofline *ret);

/* Write the chart as an "svg" element, or nothing if roofline_of() returns false. */
void roofline_put_svg(struct buf *b, const struct report *r);
