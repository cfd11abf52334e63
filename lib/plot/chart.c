/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.c - a page of panels, each with curves ("lines") of values over time */
#include "plot/chart.h"

#include <math.h>
#include <stdlib.h>
#include "base/buf.h"

void chart_init(struct chart *c, size_t n_lines, size_t n_panels, size_t n_edges, bool exact)
{
	size_t n = n_lines * n_panels * n_edges;

	*c = (struct chart){ .n_lines = n_lines, .n_panels = n_panels, .n_edges = n_edges,
			     .exact = exact };
	c->line = xrealloc(NULL, n_lines * sizeof(*c->line));
	for (size_t i = 0; i < n_lines; i++)
		c->line[i] = (struct chart_line){ "" };
	c->panel = xrealloc(NULL, n_panels * sizeof(*c->panel));
	for (size_t i = 0; i < n_panels; i++)
		c->panel[i] = (struct chart_panel){ .by = 1 };
	c->edge = xrealloc(NULL, n_edges * sizeof(*c->edge));
	c->value = xrealloc(NULL, n * sizeof(*c->value));
	for (size_t i = 0; i < n; i++)
		c->value[i] = NAN;
	c->joined = exact ? xrealloc(NULL, n * sizeof(*c->joined)) : NULL;
	for (size_t i = 0; exact && i < n; i++)
		c->joined[i] = false;
}

void chart_free(struct chart *c)
{
	free(c->line);
	free(c->panel);
	free(c->edge);
	free(c->value);
	free(c->joined);
}

bool chart_slot(const struct chart *c, size_t panel, size_t slot, int64_t *from, int64_t *to)
{
	bool moment = c->exact && !c->panel[panel].flat;
	if (slot + !moment >= c->n_edges)
		return false;
	*from = c->edge[slot];
	*to = c->edge[slot + !moment];
	return true;
}

bool chart_place(const struct chart *c, size_t panel, size_t slot, double *x0, double *x1)
{
	int64_t from, to;
	if (!chart_slot(c, panel, slot, &from, &to))
		return false;
	*x0 = (double)from;
	*x1 = (double)to;
	if (!c->panel[panel].flat)
		*x0 = *x1 = (*x0 + *x1) / 2;
	return true;
}

bool chart_joined(const struct chart *c, size_t line, size_t panel, size_t slot)
{
	if (!c->joined || c->panel[panel].flat)
		return true;
	return c->joined[(line * c->n_panels + panel) * c->n_edges + slot];
}

bool chart_has_data(const struct chart *c, size_t line, size_t panel)
{
	const float *v = chart_values(c, line, panel);
	for (size_t i = 0; i < c->n_edges; i++)
		if (!isnan(v[i]))
			return true;
	return false;
}

static void chart_measure_panel(struct chart *c, size_t panel)
{
	float low = 0, high = 0;
	for (size_t line = 0; line < c->n_lines; line++) {
		const float *v = chart_values(c, line, panel);
		for (size_t i = 0; i < c->n_edges; i++) {
			/* NAN is skipped: comparisons with NAN are false */
			high = v[i] > high ? v[i] : high;
			low = v[i] < low ? v[i] : low;
		}
	}
	c->panel[panel].least = (double)low;
	c->panel[panel].largest = (double)high;
}

void chart_measure(struct chart *c)
{
	for (size_t i = 0; i < c->n_panels; i++)
		chart_measure_panel(c, i);
}
