/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h - a page of panels, each with curves ("lines") of values over time */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A panel of a chart. Its texts are safe to print on a terminal. Multiply values by .by to get them
 * in .unit.
 */
struct chart_panel {
	char title[80];
	char unit[16];
	double by;
	/* smallest and largest value of the panel, or 0 if that is smaller or larger */
	double least, largest;
	/* extend the axis at least to this value, in units of the values; 0: fit to the values */
	double axis_top;
	/* a value holds until the next edge, as a rate does: draw it as a horizontal line */
	bool flat;
};

struct chart_line {
	char name[40];
};

/*
 * A chart. For each line (such as a node) and panel, it has a value at each time in .edge; unknown
 * values are NAN. If .exact is true, these times are the times of samples, and a value is that of
 * the sample; otherwise a value is the mean from its time to the next.
 */
struct chart {
	char title[256];
	int64_t start, end;	/* microseconds since the epoch, like all times of a chart */
	/* times at which a vertical line crosses all panels; borrowed */
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
	 * only if .exact, and indexed like .value: true if there is no gap between this value and
	 * the previous value
	 */
	bool *joined;
};

/*
 * Initialise a chart in which all values are unknown. The caller fills .edge with n_edges points in
 * time, and calls chart_free() to release the chart.
 */
void chart_init(struct chart *c, size_t n_lines, size_t n_panels, size_t n_edges, bool exact);
void chart_free(struct chart *c);

static inline float *chart_values(const struct chart *c, size_t line, size_t panel)
{
	return c->value + (line * c->n_panels + panel) * c->n_edges;
}

/*
 * Get the start and the end of the time that the value with index `slot` covers: .edge[slot] and
 * the next edge. If the value belongs to a sample (the chart is .exact and the panel is not .flat),
 * both are .edge[slot]. Returns false after the last slot.
 */
bool chart_slot(const struct chart *c, size_t panel, size_t slot, int64_t *from, int64_t *to);

/*
 * Get the times in microseconds at which to draw the value with index `slot`. If the panel is
 * .flat, draw a line from *x0 to *x1; else *x0 = *x1, in the middle of the time of chart_slot():
 * draw a point. Returns false after the last slot.
 */
bool chart_place(const struct chart *c, size_t panel, size_t slot, double *x0, double *x1);

/* Return true if the value with index `slot` is to be connected with the previous value. */
bool chart_joined(const struct chart *c, size_t line, size_t panel, size_t slot);

bool chart_has_data(const struct chart *c, size_t line, size_t panel);
void chart_measure(struct chart *c);	/* Set .least and .largest of all panels. */
