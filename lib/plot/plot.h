/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.h - turn a chart into a program for gnuplot */
#pragma once

#include "base/buf.h"
#include "plot/chart.h"

enum plot_form {
	PLOT_PNG,
	PLOT_SVG,
	PLOT_PDF,
	PLOT_TEXT,
};

struct plot_how {
	enum plot_form form;
	bool map;		/* draw a row of colours for each line; not for text */
	unsigned width;		/* width of text, in characters */
	bool colour;		/* whether text has colours */
	double flops, bandwidth;	/* peaks of a roofline, GF/s and GB/s; 0 for other charts */
};

/*
 * Append the program. A map has evenly spaced edges, and unknown values are white. Otherwise up to
 * eight lines are drawn one by one; for more lines, the median, the quartiles, the minimum and the
 * maximum are drawn. Names and titles are in single quotes, in which gnuplot substitutes nothing. A
 * roofline has no time axis: its points are the values of the first panel over their ratio to the
 * second panel.
 */
void plot_put_script(struct buf *b, const struct chart *c, const struct plot_how *how);

/*
 * Append a panel of a map: its data $pPANEL, a row of values for each line, and the commands that
 * draw it with its axis of lines, `height` points high.
 */
void plot_put_map_data(struct buf *b, const struct chart *c, size_t panel);
void plot_put_map(struct buf *b, const struct chart *c, size_t panel, unsigned height,
		  double shift);

#define PLOT_LINES_MAX 8	/* number of lines that are drawn one by one */

/*
 * Append the data of a panel. Up to PLOT_LINES_MAX lines: a block $pPANELnLINE with "TIME VALUE"
 * for each line that has values. More lines: a block $pPANEL with "TIME MINIMUM QUARTILE MEDIAN
 * QUARTILE MAXIMUM". Times are in seconds plus shift. An empty line marks an unknown value; gnuplot
 * draws nothing across it.
 */
void plot_put_data(struct buf *b, const struct chart *c, size_t panel, double shift);
