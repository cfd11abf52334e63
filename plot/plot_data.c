/* SPDX-License-Identifier: BSD-3-Clause */
/* plot_data.c - the values of a panel as blocks of data of a program for gnuplot */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

#define VALUES_MAX 5

/* A line while it is written: of points at one height only the first and the last are. */
struct trace {
	struct buf *b;
	size_t n;		/* values of a point */
	double by, shift;
	double x, y[VALUES_MAX];	/* the newest point */
	bool any, held;		/* it is not written yet */
	bool begun;		/* the line has a point */
};

static void write_point(struct trace *t)
{
	buf_addf(t->b, "%.3f", t->x);
	for (size_t i = 0; i < t->n; i++)
		buf_addf(t->b, " %.6g", t->y[i]);
	buf_add_char(t->b, '\n');
	t->held = false;
}

static void add_point(struct trace *t, double usec, const double *y)
{
	double x = usec / 1e6 + t->shift;
	bool level = t->any && memcmp(t->y, y, t->n * sizeof(*y)) == 0;

	if (level && x == t->x)
		return;
	if (t->held && !level)
		write_point(t);
	t->x = x;
	memcpy(t->y, y, t->n * sizeof(*y));
	t->any = true;
	t->held = level;
	if (!level)
		write_point(t);
}

static void break_line(struct trace *t)
{
	if (t->held)
		write_point(t);
	if (t->any)
		t->begun = true;
	t->any = false;
}

/* A point behind a break stands behind an empty line. */
static void add_value(struct trace *t, double x0, double x1, const double *y)
{
	if (!t->any && t->begun) {
		buf_add_char(t->b, '\n');
		t->begun = false;
	}
	add_point(t, x0, y);
	if (x1 > x0)
		add_point(t, x1, y);
}

bool plot_has_data(const struct series *s, size_t node, size_t panel)
{
	const float *v = series_values(s, node, panel);
	for (size_t i = 0; i < s->n_edges; i++)
		if (!isnan(v[i]))
			return true;
	return false;
}

void plot_range(const struct series *s, size_t panel, double *least, double *largest)
{
	float low = 0, high = 0;
	for (size_t node = 0; node < s->n_nodes; node++) {
		const float *v = series_values(s, node, panel);
		for (size_t i = 0; i < s->n_edges; i++) {
			high = v[i] > high ? v[i] : high;	/* NAN is neither */
			low = v[i] < low ? v[i] : low;
		}
	}
	*least = (double)low;
	*largest = (double)high;
}

static void put_node(struct buf *b, const struct series *s, size_t node, size_t panel, double by,
		     double shift)
{
	struct trace t = { .b = b, .n = 1, .by = by, .shift = shift };
	const float *v = series_values(s, node, panel);
	double x0, x1;

	buf_addf(b, "$p%zun%zu << EOD\n", panel, node);
	for (size_t i = 0; series_place(s, &s->panels->panel[panel], i, &x0, &x1); i++) {
		double y = (double)v[i] * by;
		if (isnan(v[i]) || !series_joined(s, node, panel, i))
			break_line(&t);
		if (!isnan(v[i]))
			add_value(&t, x0, x1, &y);
	}
	break_line(&t);
	buf_addf(b, "EOD\n");
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return x < y ? -1 : x > y;
}

/* Of n values in order: between two of them, in proportion. */
static double quantile(const float *v, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;
	double next = (double)v[i + 1 < n ? i + 1 : i];
	return (double)v[i] + (at - (double)i) * (next - (double)v[i]);
}

static void put_nodes(struct buf *b, const struct series *s, size_t panel, double by, double shift)
{
	struct trace t = { .b = b, .n = VALUES_MAX, .by = by, .shift = shift };
	float *v = xrealloc(NULL, s->n_nodes * sizeof(*v));
	double x0, x1, y[VALUES_MAX];

	buf_addf(b, "$p%zu << EOD\n", panel);
	for (size_t i = 0; series_place(s, &s->panels->panel[panel], i, &x0, &x1); i++) {
		size_t n = 0;
		bool joined = false;
		for (size_t node = 0; node < s->n_nodes; node++) {
			if (isnan(series_values(s, node, panel)[i]))
				continue;
			v[n++] = series_values(s, node, panel)[i];
			joined |= series_joined(s, node, panel, i);
		}
		if (!joined)
			break_line(&t);
		if (n == 0)
			continue;
		qsort(v, n, sizeof(*v), by_value);
		for (size_t k = 0; k < VALUES_MAX; k++)
			y[k] = by * quantile(v, n, (double)k / (VALUES_MAX - 1));
		add_value(&t, x0, x1, y);
	}
	break_line(&t);
	buf_addf(b, "EOD\n");
	free(v);
}

void plot_put_data(struct buf *b, const struct series *s, size_t panel, double by, double shift)
{
	if (s->n_nodes > PLOT_LINES_MAX) {
		put_nodes(b, s, panel, by, shift);
		return;
	}
	for (size_t node = 0; node < s->n_nodes; node++)
		if (plot_has_data(s, node, panel))
			put_node(b, s, node, panel, by, shift);
}
