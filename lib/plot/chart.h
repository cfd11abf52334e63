/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h - a page of panels that draw the values of lines over time */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A panel of a chart. Its texts are safe for a terminal. Values are multiplied by .by to get .unit.
 */
struct chart_panel {
	char title[80];
	char unit[16];
	double by;
	/* range of the panel's values, extended to include 0 */
	double least, largest;
	/* the axis extends at least to this value (without .by); 0: fit the axis to the values */
	double whole;
	/* a value lasts until the next edge, like a rate: draw a horizontal line */
	bool flat;
};

struct chart_line {
	char name[40];
};

/*
 * A chart: for each line and panel, a value at each of the times called edges, or NAN if unknown.
 * If .exact is set, the edges are the times of samples; otherwise each value is the mean until the
 * next edge.
 */
struct chart {
	char title[256];
	int64_t start, end;		/* microseconds since the epoch, like all times here */
	/* times at which a vertical line is drawn through all panels; borrowed */
	const int64_t *mark;
	size_t n_marks;
	struct chart_panel *panel;
	size_t n_panels;
	struct chart_line *line;
	size_t n_lines;
	int64_t *edge;
	size_t n_edges;
	bool exact;
	float *value;			/* values, indexed [line][panel][edge] */
	/*
	 * only if .exact: true if no gap separates this value from the one before it; indexed like
	 * .value
	 */
	bool *joined;
};

/*
 * Initialise a chart without values, with room for n_edges edges, which the caller sets. Release it
 * with chart_free().
 */
void chart_init(struct chart *c, size_t n_lines, size_t n_panels, size_t n_edges, bool exact);
void chart_free(struct chart *c);

static inline float *chart_values(const struct chart *c, size_t line, size_t panel)
{
	return c->value + (line * c->n_panels + panel) * c->n_edges;
}

/*
 * Get the start and the end of the time slot in which the value at edge `slot` is drawn: from this
 * edge to the next one. For the value of a sample (the chart is .exact, the panel not .flat), both
 * are this edge. Returns false after the last slot.
 */
bool chart_slot(const struct chart *c, size_t panel, size_t slot, int64_t *from, int64_t *to);

/*
 * Get the times in microseconds at which to draw a slot, see chart_slot(): a line from *x0 to *x1
 * if the panel is .flat, else a point, with *x0 = *x1. Returns false after the last slot.
 */
bool chart_place(const struct chart *c, size_t panel, size_t slot, double *x0, double *x1);

/* Return whether to connect the value of this slot with the previous value. */
bool chart_joined(const struct chart *c, size_t line, size_t panel, size_t slot);

bool chart_has_data(const struct chart *c, size_t line, size_t panel);
void chart_measure(struct chart *c);	/* sets .least and .largest of all panels */
