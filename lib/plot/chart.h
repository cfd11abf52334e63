/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h - a page of panels that draw the values of lines over time */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A panel. Texts are plain and safe for a terminal. Values are multiplied by `by` to be in `unit`.
 */
struct chart_panel {
	char title[80];
	char unit[16];
	double by;
	/* smallest and largest value of all lines, at most and at least 0 */
	double least, largest;
	/* end of the axis, in the unit of the values; 0 to fit the values */
	double whole;
	/* the value holds from its edge to the next, like a rate */
	bool flat;
};

struct chart_line {
	char name[40];
};

/*
 * A chart. All lines share one grid of times (edges). Each panel has a value for each line and
 * edge, NAN if unknown. If .exact is set, the edges are the times of samples; otherwise a value is
 * the mean from its edge to the next.
 */
struct chart {
	char title[256];
	int64_t start, end;		/* microseconds since the epoch, like all times */
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
	/* if .exact: whether the value is known without a gap since the previous edge */
	bool *joined;
};

/* Initialise a chart without values, with room for n_edges edges. Release it with chart_free(). */
void chart_init(struct chart *c, size_t n_lines, size_t n_panels, size_t n_edges, bool exact);
void chart_free(struct chart *c);

static inline float *chart_values(const struct chart *c, size_t line, size_t panel)
{
	return c->value + (line * c->n_panels + panel) * c->n_edges;
}

/* The period that a slot covers. Returns false after the last slot. */
bool chart_slot(const struct chart *c, size_t panel, size_t slot, int64_t *from, int64_t *to);

/*
 * Find where to draw the value of a slot, in microseconds. A value that is constant over an
 * interval reaches from *x0 to *x1; any other value is a point with *x0 = *x1. Returns false after
 * the last slot.
 */
bool chart_place(const struct chart *c, size_t panel, size_t slot, double *x0, double *x1);

/* Whether to connect this slot with the previous one. */
bool chart_joined(const struct chart *c, size_t line, size_t panel, size_t slot);

bool chart_has_data(const struct chart *c, size_t line, size_t panel);
void chart_measure(struct chart *c);	/* sets .least and .largest of all panels */
