/* SPDX-License-Identifier: BSD-3-Clause */
/* plot_data.c - write the values of a panel as data blocks for gnuplot */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

#define VALUES_MAX 5

/*
 * State while the points of a curve are written. If successive points have the same values, only
 * the first and the last of them are written.
 */
struct plot_trace {
	struct buf *b;
	size_t n;		/* number of values of each point */
	double shift;
	double x, y[VALUES_MAX];	/* time and values of the latest point */
	/*
	 * .any: there is a latest point, and no gap after it; .held: this point is not written yet
	 */
	bool any, held;
	bool begun;		/* a point was written since the last empty row */
};

static void trace_write_point(struct plot_trace *t)
{
	buf_addf(t->b, "%.3f", t->x);
	for (size_t i = 0; i < t->n; i++)
		buf_addf(t->b, " %.6g", t->y[i]);
	buf_add_char(t->b, '\n');
	t->held = false;
}

static void trace_add_point(struct plot_trace *t, double usec, const double *y)
{
	double x = usec / 1e6 + t->shift;
	bool level = t->any && memcmp(t->y, y, t->n * sizeof(*y)) == 0;

	if (level && x == t->x)
		return;
	if (t->held && !level)
		trace_write_point(t);
	t->x = x;
	memcpy(t->y, y, t->n * sizeof(*y));
	t->any = true;
	t->held = level;
	if (!level)
		trace_write_point(t);
}

static void trace_break(struct plot_trace *t)
{
	if (t->held)
		trace_write_point(t);
	if (t->any)
		t->begun = true;
	t->any = false;
}

/* Add a value that lasts from x0 to x1. If there is a gap before it, first write an empty row. */
static void trace_add_value(struct plot_trace *t, double x0, double x1, const double *y)
{
	if (!t->any && t->begun) {
		buf_add_char(t->b, '\n');
		t->begun = false;
	}
	trace_add_point(t, x0, y);
	if (x1 > x0)
		trace_add_point(t, x1, y);
}

static void plot_put_line(struct buf *b, const struct chart *c, size_t line, size_t panel,
			  double shift)
{
	struct plot_trace t = { .b = b, .n = 1, .shift = shift };
	const float *v = chart_values(c, line, panel);
	double x0, x1;

	buf_addf(b, "$p%zun%zu << EOD\n", panel, line);
	for (size_t i = 0; chart_place(c, panel, i, &x0, &x1); i++) {
		double y = (double)v[i] * c->panel[panel].by;
		if (isnan(v[i]) || !chart_joined(c, line, panel, i))
			trace_break(&t);
		if (!isnan(v[i]))
			trace_add_value(&t, x0, x1, &y);
	}
	trace_break(&t);
	buf_addf(b, "EOD\n");
}

static int plot_compare_values(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return x < y ? -1 : x > y;
}

/* Return the quantile q (0 to 1) of n sorted values, interpolated between two values. */
static double plot_quantile(const float *v, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;
	double next = (double)v[i + 1 < n ? i + 1 : i];
	return (double)v[i] + (at - (double)i) * (next - (double)v[i]);
}

static void plot_put_spread(struct buf *b, const struct chart *c, size_t panel, double shift)
{
	struct plot_trace t = { .b = b, .n = VALUES_MAX, .shift = shift };
	float *v = xrealloc(NULL, c->n_lines * sizeof(*v));
	double x0, x1, y[VALUES_MAX];

	buf_addf(b, "$p%zu << EOD\n", panel);
	for (size_t i = 0; chart_place(c, panel, i, &x0, &x1); i++) {
		size_t n = 0;
		bool joined = false;
		for (size_t line = 0; line < c->n_lines; line++) {
			if (isnan(chart_values(c, line, panel)[i]))
				continue;
			v[n++] = chart_values(c, line, panel)[i];
			joined |= chart_joined(c, line, panel, i);
		}
		if (!joined)
			trace_break(&t);
		if (n == 0)
			continue;
		qsort(v, n, sizeof(*v), plot_compare_values);
		for (size_t k = 0; k < VALUES_MAX; k++)
			y[k] = c->panel[panel].by * plot_quantile(v, n,
								  (double)k / (VALUES_MAX - 1));
		trace_add_value(&t, x0, x1, y);
	}
	trace_break(&t);
	buf_addf(b, "EOD\n");
	free(v);
}

void plot_put_data(struct buf *b, const struct chart *c, size_t panel, double shift)
{
	if (c->n_lines > PLOT_LINES_MAX) {
		plot_put_spread(b, c, panel, shift);
		return;
	}
	for (size_t line = 0; line < c->n_lines; line++)
		if (chart_has_data(c, line, panel))
			plot_put_line(b, c, line, panel, shift);
}
