/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_script.c - write a page as a gnuplot program with its data */
#include "tcp/graph.h"

#include <stdlib.h>

#define NAMED_MAX 16	/* maximum number of curves that a legend names */
#define PANELS_MAX 16

/* Colours of Okabe and Ito, which colour-blind readers can distinguish. */
static const char *const colours[] = {
	"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F",
};

/* Curves drawn with a common y axis. */
struct script_panel {
	const char *unit;
	size_t n;
	size_t curve[CURVES_MAX];
};

static void plot_put_quoted(struct buf *b, const char *text)
{
	buf_add_quoted(b, str_of(text), '\'');
}

/*
 * Append the commands that open a window (qt, wxt or x11, whichever gnuplot supports). The window
 * stays open after gnuplot ends.
 */
static void plot_put_window(struct buf *b, const struct graph_page *p, unsigned number)
{
	buf_addf(b, "kind = strstrt(GPVAL_TERMINALS, ' qt ') ? 'qt' : "
		 "strstrt(GPVAL_TERMINALS, ' wxt ') ? 'wxt' : 'x11'\n"
		 "set terminal @kind %u persist title ", number);
	plot_put_quoted(b, p->title);
	buf_add_char(b, '\n');
}

static void plot_put_terminal(struct buf *b, const struct graph *g, const struct graph_page *p,
			      unsigned number, unsigned width, size_t panels)
{
	unsigned height = panels > 1 ? 60 + 210 * (unsigned)panels : 560;
	unsigned lines = panels > 1 ? 1 + 14 * (unsigned)panels : 24;

	buf_addf(b, "set encoding utf8\n");
	switch (g->form) {
	case GRAPH_WINDOW:
		plot_put_window(b, p, number);
		break;
	case GRAPH_TERMINAL:
		buf_addf(b, "set terminal dumb size %u,%u mono noenhanced\n", width, lines);
		break;
	case GRAPH_SVG:
		buf_addf(b, "set terminal svg noenhanced size 1240,%u dynamic font 'sans,12' "
			 "background '#ffffff'\n", height);
		break;
	default:
		buf_addf(b, "set terminal pngcairo noenhanced size 1240,%u font 'sans,10' "
			 "background '#ffffff'\n", height);
		break;
	}
}

static void plot_put_styles(struct buf *b, const struct graph *g, size_t panels)
{
	buf_addf(b, "set tics nomirror\nset border 3\nset xrange [0:*]\nset yrange [*<0:0<*]\n");
	if (g->form == GRAPH_TERMINAL)
		return;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(colours); i++)
		buf_addf(b, "set linetype %zu lc rgb '%s' dt %s lw 1.4 pt 7\n", i + 1,
			 colours[i % ARRAY_SIZE(colours)], i < ARRAY_SIZE(colours) ? "1" : "'-'");
	buf_addf(b, "set linetype cycle %zu\nset grid y lc rgb '#dddddd' lw 0.5\n"
		 "set key outside right top vertical Left reverse noenhanced\n",
		 2 * ARRAY_SIZE(colours));
	if (panels > 1)
		buf_addf(b, "set lmargin 12\nset rmargin 26\nset key maxrows %d\n", NAMED_MAX + 1);
}

/*
 * Append the points of a curve. Returns false if the curve has none: it must not be plotted then,
 * because gnuplot fails on an empty panel.
 */
static bool plot_put_data(struct buf *b, const struct graph *g, const struct graph_page *p,
			  size_t i)
{
	size_t start = b->n;
	buf_addf(b, "$c%zu << EOD\n", i);
	if (graph_put_points(b, g, &p->curve[i]) == 0) {
		b->n = start;
		return false;
	}
	buf_addf(b, "EOD\n");
	return true;
}

/* Get the panel for a unit. If `one` is set, all columns share one panel, as in pmgraph. */
static struct script_panel *plot_get_panel(struct script_panel *panels, size_t *n,
					   const char *unit, bool one)
{
	for (size_t i = 0; i < *n; i++)
		if (one || strcmp(panels[i].unit, unit) == 0)
			return &panels[i];
	if (*n == PANELS_MAX)
		return &panels[PANELS_MAX - 1];
	panels[*n] = (struct script_panel){ .unit = unit };
	return &panels[(*n)++];
}

static void plot_put_curve(struct buf *b, const struct graph *g, const struct graph_curve *c,
			   size_t i, size_t place)
{
	buf_addf(b, "%s $c%zu using 1:2 with %s lt %zu ", place ? ", \\\n" : "plot", i,
		 g->form == GRAPH_TERMINAL ? "points" : "linespoints ps 0.35", place + 1);
	if (place < NAMED_MAX) {
		buf_addf(b, "title ");
		plot_put_quoted(b, c->name);
	} else {
		buf_addf(b, "notitle");
	}
}

static void plot_put_panel(struct buf *b, const struct graph *g, const struct graph_page *p,
			   const struct script_panel *l, bool last)
{
	bool same = true;
	for (size_t i = 1; i < l->n; i++)
		same &= strcmp(graph_unit(g, p->curve[l->curve[i]].of), l->unit) == 0;
	buf_addf(b, "set ylabel ");
	plot_put_quoted(b, same ? l->unit : "");
	buf_addf(b, "\nset format y '%s'\n", same && strncmp(l->unit, "bytes", 5) == 0 ? "%.1s%c" :
		 "%g");
	if (last)
		buf_addf(b, "set xlabel 'seconds'\n");
	for (size_t i = 0; i < l->n; i++)
		plot_put_curve(b, g, &p->curve[l->curve[i]], l->curve[i], i);
	if (l->n > NAMED_MAX)
		buf_addf(b, ", \\\n NaN with dots title 'and %zu more'", l->n - NAMED_MAX);
	buf_addf(b, l->n ? "\n" : "plot [0:1] [0:1] NaN notitle\n");
}

void graph_put_script(struct buf *b, const struct graph *g, const struct graph_page *p,
		      unsigned number, unsigned width)
{
	struct script_panel *panels = xrealloc(NULL, PANELS_MAX * sizeof(*panels));
	struct buf data CLEANUP(buf_free) = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (!plot_put_data(&data, g, p, i))
			continue;
		bool one = !g->everything || g->scaled || g->by_column;
		struct script_panel *l =
			plot_get_panel(panels, &n, graph_unit(g, p->curve[i].of), one);
		if (l->n < ARRAY_SIZE(l->curve))
			l->curve[l->n++] = i;
	}
	if (n == 0)
		plot_get_panel(panels, &n, "", true);
	plot_put_terminal(b, g, p, number, width, n);
	buf_add(b, buf_str(&data));
	plot_put_styles(b, g, n);
	buf_addf(b, "set multiplot layout %zu,1 title ", n);
	plot_put_quoted(b, p->title);
	buf_add_char(b, '\n');
	for (size_t i = 0; i < n; i++)
		plot_put_panel(b, g, p, &panels[i], i + 1 == n);
	buf_addf(b, "unset multiplot\n");
	free(panels);
}
