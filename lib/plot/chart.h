/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h - a page of panels that draw the values of lines over time */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A panel. Texts are plain and safe for a terminal. A value multiplied by .by is in .unit. */
struct chart_panel {
	char title[80];
	char unit[16];
	double by;
	/* smallest of all values and 0, and largest of all values and 0 */
	double least, largest;
	/* largest value on the axis, in the unit of the values; 0: fit the axis to the values */
	double whole;
	/* a value is constant from its edge to the next edge, like a rate */
	bool flat;
};

struct chart_line {
	char name[40];
};

/*
 * A chart. All lines share one grid of times (edges). Each panel has a value for each line and
 * edge, NAN if unknown. If .exact is set, the edges are the times of samples; otherwise a value is
 * the mean between its edge and the next edge.
 */
struct chart {
	char title[256];
	int64_t start, end;		/* like all times, in microseconds since the epoch */
	const int64_t *mark;		/* times of vertical lines through all panels */
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
	 * only if .exact: whether there was no gap between the value and that of the previous edge
	 */
	bool *joined;
};

/* Initialise a chart without values, with room for n_edges edges. Release it with chart_free(). */
void chart_init(struct chart *c, size_t n_lines, size_t n_panels, size_t n_edges, bool exact);
void chart_free(struct chart *c);

static inline float *chart_values(const struct chart *c, size_t line, size_t panel)
{
	return c->value + (line * c->n_panels + panel) * c->n_edges;
}

/*
 * Get the time *from to *to of a slot. Slot i belongs to the value at edge i: it is the time from
 * edge i to edge i+1 or, if the value is that of a sample (.exact without .flat), only the time of
 * edge i. Returns false after the last slot.
 */
bool chart_slot(const struct chart *c, size_t panel, size_t slot, int64_t *from, int64_t *to);

/*
 * Find where to draw the value of a slot, see chart_slot(), in microseconds. In a panel with .flat,
 * the value is a line from *x0 to *x1. In any other panel, the value is a point, with *x0 = *x1.
 * Returns false after the last slot.
 */
bool chart_place(const struct chart *c, size_t panel, size_t slot, double *x0, double *x1);

/* Return whether to connect the value of this slot with that of the previous slot. */
bool chart_joined(const struct chart *c, size_t line, size_t panel, size_t slot);

bool chart_has_data(const struct chart *c, size_t line, size_t panel);
void chart_measure(struct chart *c);	/* sets .least and .largest of all panels */
