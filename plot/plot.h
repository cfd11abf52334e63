/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.h - series as a page of panels: its data, the program for gnuplot, gnuplot */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "plot/gnuplot.h"
#include "plot/series.h"

enum plot_form {
	PLOT_PNG,
	PLOT_SVG,
	PLOT_PDF,
	PLOT_TEXT,
};

struct drawing {
	const struct report *report;
	const struct panels *panels;
	const struct survey *survey;
	const struct series *series;
	enum plot_form form;
	unsigned width;		/* of text, in characters */
	bool colour;		/* of text */
};

/*
 * Up to eight nodes have a line each; of more, the median, the quartiles, and the least and the
 * largest value are drawn. What records name stands in single quotes only, where gnuplot replaces
 * nothing.
 */
void plot_put_script(struct buf *b, const struct drawing *d);

#define PLOT_LINES_MAX 8	/* nodes that are drawn one by one */

bool plot_has_data(const struct series *s, size_t node, size_t panel);
/* With 0 in it. */
void plot_range(const struct series *s, size_t panel, double *least, double *largest);

/*
 * Up to PLOT_LINES_MAX nodes: $pPANELnNODE for each that has any, "TIME VALUE". More: $pPANEL,
 * "TIME LEAST QUARTILE MEDIAN QUARTILE LARGEST". A value is times by, a time in seconds plus shift.
 * An empty line is where something is not known: gnuplot draws nothing across it.
 */
void plot_put_data(struct buf *b, const struct series *s, size_t panel, double by, double shift);
