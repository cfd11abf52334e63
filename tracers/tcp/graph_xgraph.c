/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_xgraph.c - a page as a file for xgraph(1): sets of points with their names */
#include "tracers/tcp/graph.h"

void graph_put_xgraph(struct buf *b, const struct graph *g, const struct page *p)
{
	buf_addf(b, "TitleText: %s\nXUnitText: seconds\nYUnitText: %s\n", p->title,
		 p->n ? graph_unit(g, p->curve[0].of) : "");
	for (size_t i = 0; i < p->n; i++) {
		buf_addf(b, "\n\"%s\"\n", p->curve[i].name);
		graph_put_points(b, g, &p->curve[i]);
	}
}
