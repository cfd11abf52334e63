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
	/* draw a map: a row of coloured cells for each line; not for PLOT_TEXT */
	bool map;
	unsigned width;		/* width of a PLOT_TEXT drawing, in characters */
	bool colour;		/* use colours in a PLOT_TEXT drawing */
	/* peak performance in GF/s and GB/s, to draw a roofline; 0 for other charts */
	double flops, bandwidth;
};

/*
 * Append a program for gnuplot that draws a chart and contains its data. Map: a row of coloured
 * cells for each line; unknown values are white, and the times of the chart must be evenly spaced.
 * Roofline: a point for each time, with the value of the first panel as height, and the first
 * panel's value divided by the second panel's as horizontal position. Other charts: one curve for
 * each line; if there are more than PLOT_LINES_MAX lines, their median, quartiles (not for
 * PLOT_TEXT), minimum and maximum instead. Texts are in single quotes, in which gnuplot substitutes
 * nothing.
 */
void plot_put_script(struct buf *b, const struct chart *c, const struct plot_how *how);

/*
 * Append a panel of a map: plot_put_map_data() appends the data block $pPANEL, with a row of values
 * for each line; plot_put_map() appends the commands that draw this block, `height` points high,
 * with the names of the lines. Times are in seconds plus `shift`.
 */
void plot_put_map_data(struct buf *b, const struct chart *c, size_t panel);
void plot_put_map(struct buf *b, const struct chart *c, size_t panel, unsigned height,
		  double shift);

/* a chart with more lines shows their median and quartiles instead */
#define PLOT_LINES_MAX 8

/*
 * Append the data of a panel. For up to PLOT_LINES_MAX lines: a block $pPANELnLINE of rows "TIME
 * VALUE" for each line that has values. For more lines: one block $pPANEL of rows "TIME MINIMUM
 * QUARTILE MEDIAN QUARTILE MAXIMUM". Times are in seconds plus `shift`. An unknown value becomes an
 * empty row, at which gnuplot interrupts the curve.
 */
void plot_put_data(struct buf *b, const struct chart *c, size_t panel, double shift);
