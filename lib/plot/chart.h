/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h - a page of panels: values of lines over time, and the words around them */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words are plain text, ready for a terminal. A panel draws values times by, in this unit. */
struct chart_panel {
	char title[80];
	char unit[16];
	double by;
	double least, largest;	/* of all values, with 0 in it */
	double whole;		/* where the axis ends, in the values' unit; 0: as they need it */
	bool flat;		/* a value holds from its edge to the next one: a rate, a share */
};

struct chart_line {
	char name[40];
};

/*
 * All lines share one grid of times, and each panel has a value for each line and edge: NAN where
 * it is not known. If .exact, the edges are the times of the samples; otherwise a value is the mean
 * from its edge to the next.
 */
struct chart {
	char title[256];
	int64_t start, end;		/* microseconds since the epoch, as all times */
	const int64_t *mark;		/* drawn through all panels */
	size_t n_marks;
	struct chart_panel *panel;
	size_t n_panels;
	struct chart_line *line;
	size_t n_lines;
	int64_t *edge;
	size_t n_edges;
	bool exact;
	float *value;			/* [line][panel][edge] */
	bool *joined;			/* .exact: the value is known from the edge before on */
};

/* A chart with no value, and with room for n_edges edges; chart_free() ends it. */
void chart_init(struct chart *c, size_t n_lines, size_t n_panels, size_t n_edges, bool exact);
void chart_free(struct chart *c);

static inline float *chart_values(const struct chart *c, size_t line, size_t panel)
{
	return c->value + (line * c->n_panels + panel) * c->n_edges;
}

/* The time that a slot stands for; false after the last one. */
bool chart_slot(const struct chart *c, size_t panel, size_t slot, int64_t *from, int64_t *to);

/*
 * Where a value is drawn, in microseconds: what is flat from *x0 to *x1, the others at *x0 = *x1.
 * False after the last one.
 */
bool chart_place(const struct chart *c, size_t panel, size_t slot, double *x0, double *x1);

/* Whether the line may go from the slot before to this one. */
bool chart_joined(const struct chart *c, size_t line, size_t panel, size_t slot);

bool chart_has_data(const struct chart *c, size_t line, size_t panel);
void chart_measure(struct chart *c);	/* sets .least and .largest of all panels */
