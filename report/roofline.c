/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline.c - draw a small roofline chart of the nodes' FLOP/s and memory bandwidth */
#include "report/roofline.h"

#include <math.h>
#include "figures/units.h"
#include "figures/used.h"
#include "plot/html.h"

/* range of the axes, in powers of ten: LEFT and RIGHT of the roof's bend, and BELOW the roof */
#define LEFT   2
#define RIGHT  1
#define BELOW  3
#define WIDE   300	/* size of the plot area, in units of the SVG */
#define HIGH   150
#define MARGIN 6

/* Get a node's FLOP/s and memory bandwidth. Returns false if a rate or its peak is unknown. */
static bool node_point(const struct report *r, size_t node, struct used *flops,
		       struct used *bandwidth)
{
	*flops = used_of_node(r, node, USED_FLOPS);
	*bandwidth = used_of_node(r, node, USED_BANDWIDTH);
	return flops->of > 0 && bandwidth->of > 0 && flops->n > 0 && bandwidth->n > 0;
}

bool roofline_of(const struct report *r, struct roofline *ret)
{
	struct used flops, bandwidth;

	*ret = (struct roofline){ 0 };
	for (size_t i = 0; i < r->n; i++)
		if (node_point(r, i, &flops, &bandwidth)) {
			ret->flops = fmax(ret->flops, flops.of);
			ret->bandwidth = fmax(ret->bandwidth, bandwidth.of);
		}
	return ret->flops > 0;
}

static double within(double v, double most)
{
	return MARGIN + fmin(fmax(v, 0), most);
}

static double x_of(const struct roofline *l, double intensity)
{
	double decades = log10(intensity * l->bandwidth / l->flops) + LEFT;
	return within(decades * WIDE / (LEFT + RIGHT), WIDE);
}

/* Convert FLOP/s to the y coordinate. The top tenth of the chart is reserved for labels. */
static double y_of(const struct roofline *l, double flops)
{
	return within(HIGH * (.1 - .9 * log10(flops / l->flops) / BELOW), HIGH);
}

static void put_roofs(struct buf *b, const struct roofline *l)
{
	double ridge = l->flops / l->bandwidth, from = ridge / pow(10, LEFT);

	buf_addf(b, "<path d=\"M%.1f %.1fL%.1f %.1fH%d\" fill=\"none\" stroke=\"currentColor\" "
		 "stroke-width=\"1.5\"/>\n", x_of(l, from), y_of(l, from * l->bandwidth),
		 x_of(l, ridge), y_of(l, l->flops), MARGIN + WIDE);
	buf_addf(b, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"currentColor\" "
		 "stroke-width=\".5\"/>\n", MARGIN, MARGIN, MARGIN + HIGH, MARGIN + WIDE);
}

static void roofline_put_words(struct buf *b, const struct roofline *l)
{
	buf_addf(b, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g GF/s</text>\n",
		 MARGIN + WIDE, y_of(l, l->flops) - 4, l->flops / 1e9);
	buf_addf(b, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
		 x_of(l, l->flops / l->bandwidth / 10) + 6, y_of(l, l->flops / 10) + 8,
		 text_rate(UNIT_BYTES, l->bandwidth).s);
	buf_addf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">FLOP per byte</text>\n",
		 MARGIN + WIDE, MARGIN + HIGH - 4);
}

static void put_point(struct buf *b, const struct report *r, size_t node, const struct roofline *l)
{
	struct used flops, bandwidth;

	if (!node_point(r, node, &flops, &bandwidth))
		return;
	buf_addf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#0072B2\"><title>",
		 x_of(l, flops.n / bandwidth.n), y_of(l, flops.n));
	html_put_text(b, text_name(node_name(r, node), 24).s);
	buf_addf(b, ": %.4g GF/s, %s, %.3g FLOP per byte</title></circle>\n", flops.n / 1e9,
		 text_rate(UNIT_BYTES, bandwidth.n).s, flops.n / bandwidth.n);
}

void roofline_put_svg(struct buf *b, const struct report *r)
{
	struct roofline l;

	if (!roofline_of(r, &l))
		return;
	buf_addf(b, "<svg viewBox=\"0 0 %d %d\" style=\"width:100%%;max-width:28em\" "
		 "font-size=\"10\" "
		 "fill=\"currentColor\" role=\"img\" aria-label=\"Each node below the roofs of "
		 "%.4g GF/s and %s, by operations per byte of memory\">\n", WIDE + 2 * MARGIN,
		 HIGH + 2 * MARGIN, l.flops / 1e9, text_rate(UNIT_BYTES, l.bandwidth).s);
	put_roofs(b, &l);
	roofline_put_words(b, &l);
	for (size_t i = 0; i < r->n; i++)
		put_point(b, r, i, &l);
	buf_add(b, STR("</svg>\n"));
}
