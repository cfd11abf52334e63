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
	/* draw a map: a row of colours for each line; not possible with PLOT_TEXT */
	bool map;
	unsigned width;		/* width of a drawing of characters, in characters */
	bool colour;		/* whether a drawing of characters has colours */
	/* peaks of a roofline in GF/s and GB/s; 0 for other charts */
	double flops, bandwidth;
};

/*
 * Append the program for gnuplot. In a map (a row of colours for each line), the chart's edges must
 * be evenly spaced, and unknown values are white. In other charts, up to PLOT_LINES_MAX lines are
 * drawn one by one; for more lines, the median, the quartiles, the minimum and the maximum are
 * drawn. Names and titles are in single quotes, in which gnuplot substitutes nothing. A roofline
 * has no time axis: the height of a point is a value of the first panel, and its horizontal
 * position is this value divided by the value of the second panel at the same time.
 */
void plot_put_script(struct buf *b, const struct chart *c, const struct plot_how *how);

/*
 * Append a panel of a map, see plot_put_script(). plot_put_map_data() appends the data block
 * $pPANEL, which has a row of values for each line; plot_put_map() appends the commands to draw it,
 * `height` points high, with the names of the lines.
 */
void plot_put_map_data(struct buf *b, const struct chart *c, size_t panel);
void plot_put_map(struct buf *b, const struct chart *c, size_t panel, unsigned height,
		  double shift);

#define PLOT_LINES_MAX 8	/* largest number of lines that are drawn one by one */

/*
 * Append the data of a panel. For up to PLOT_LINES_MAX lines, this is a block $pPANELnLINE with
 * "TIME VALUE" for each line that has values; for more lines, a block $pPANEL with "TIME MINIMUM
 * QUARTILE MEDIAN QUARTILE MAXIMUM". Times are in seconds, with `shift` added. An unknown value
 * becomes an empty line, across which gnuplot draws nothing.
 */
void plot_put_data(struct buf *b, const struct chart *c, size_t panel, double shift);
