/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.h - a chart as a program for gnuplot */
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
	bool map;		/* a row of colours for each line, not of text */
	unsigned width;		/* of text, in characters */
	bool colour;		/* of text */
	double flops, bandwidth;	/* a roofline's peaks, GF/s and GB/s; 0: it is none */
};

/*
 * A map has even edges, and what is not known is white. Else up to eight lines are drawn one by
 * one; of more, the median, the quartiles, and the least and the largest value are drawn. Names
 * and titles stand in single quotes only, where gnuplot replaces nothing. A roofline has no time:
 * its points are the values of the first panel, by their ratio to those of the second.
 */
void plot_put_script(struct buf *b, const struct chart *c, const struct plot_how *how);

/*
 * A panel of a map: its data, $pPANEL, a row of values for each line; and how it is drawn, with its
 * axis of lines, which is height points high.
 */
void plot_put_map_data(struct buf *b, const struct chart *c, size_t panel);
void plot_put_map(struct buf *b, const struct chart *c, size_t panel, unsigned height,
		  double shift);

#define PLOT_LINES_MAX 8	/* lines that are drawn one by one */

/*
 * Up to PLOT_LINES_MAX lines: $pPANELnLINE for each that has any, "TIME VALUE". More: $pPANEL,
 * "TIME LEAST QUARTILE MEDIAN QUARTILE LARGEST". Times are in seconds plus shift. An empty line is
 * where something is not known: gnuplot draws nothing across it.
 */
void plot_put_data(struct buf *b, const struct chart *c, size_t panel, double shift);
