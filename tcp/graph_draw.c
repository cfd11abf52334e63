/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_draw.c - build the pages of a graph, by connection or by column, and draw them */
#include "tcp/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "plot/gnuplot.h"

/* Append a page in the format of xgraph(1). */
static void draw_put_xgraph(struct buf *b, const struct graph *g, const struct graph_page *p)
{
	buf_addf(b, "TitleText: %s\nXUnitText: seconds\nYUnitText: %s\n", p->title,
		 p->n ? graph_unit(g, p->curve[0].of) : "");
	for (size_t i = 0; i < p->n; i++) {
		buf_addf(b, "\n\"%s\"\n", p->curve[i].name);
		graph_put_points(b, g, &p->curve[i]);
	}
}

/*
 * Append the file name: NAME.png, NAME.SUFFIX.png if there are several pages, or FILE.SUFFIX.xg for
 * xgraph.
 */
static void draw_put_file_name(struct buf *b, const struct graph *g, const struct graph_page *p,
			       bool alone)
{
	const char *end = g->output ? strrchr(g->output, '.') : NULL;

	if (g->form == GRAPH_XGRAPH)
		buf_addf(b, "%s.%s.xg", g->file, p->suffix);
	else if (alone)
		buf_addf(b, "%s", g->output);
	else
		buf_addf(b, "%.*s.%s%s", (int)(end - g->output), g->output, p->suffix, end);
	buf_add_char(b, '\0');
}

static int draw_write_page(const struct graph *g, struct str text, const char *path, bool *reported)
{
	struct buf drawing CLEANUP(buf_free) = { 0 };

	if (g->form == GRAPH_PNG || g->form == GRAPH_SVG) {
		int r = gnuplot_draw(text, &drawing, &log_listener);
		*reported = r < 0;
		if (r < 0)
			return r;
		text = buf_str(&drawing);
	}
	return files_publish(path, text);
}

static int draw_show_page(const struct graph *g, struct str text, bool *reported)
{
	struct buf drawing CLEANUP(buf_free) = { 0 };
	int r = 0;

	if (g->form == GRAPH_PROGRAM)
		return files_write(STDOUT_FILENO, text);
	r = g->form == GRAPH_WINDOW ? gnuplot_run(text, STDOUT_FILENO, &log_listener) :
				      gnuplot_run_text(text, &drawing, &log_listener);
	*reported = r < 0;
	return r < 0 ? r : files_write(STDOUT_FILENO, buf_str(&drawing));
}

static int draw_one_page(const struct graph *g, const struct graph_page *p, unsigned number,
			 bool alone)
{
	struct buf text CLEANUP(buf_free) = { 0 }, path CLEANUP(buf_free) = { 0 };
	bool to_file = g->output || g->form == GRAPH_XGRAPH, reported = false;

	if (g->form == GRAPH_XGRAPH)
		draw_put_xgraph(&text, g, p);
	else
		graph_put_script(&text, g, p, number, gnuplot_columns());
	if (to_file)
		draw_put_file_name(&path, g, p, alone);
	int r = to_file ? draw_write_page(g, buf_str(&text), path.p, &reported) :
			  draw_show_page(g, buf_str(&text), &reported);
	if (r < 0 && !reported)
		log_error("%s: %s", to_file ? path.p : "standard output", strerror(-r));
	return r;
}

/* Name a curve, adding the scale if it is not 1: "location × 1000". */
static void draw_name_curve(struct graph_curve *c, const char *name)
{
	if (c->of->scale == 1)
		snprintf(c->name, sizeof(c->name), "%s", name);
	else
		snprintf(c->name, sizeof(c->name), "%s × %g", name, c->of->scale);
}

static uint64_t draw_count_missing(const struct capture *c)
{
	uint64_t n = 0;
	for (size_t i = 1; i < c->n_moments; i++)
		n += capture_gap(c, i);
	return n;
}

static void draw_add_to_title(struct graph_page *p, uint64_t missing, const char *what)
{
	size_t n = strlen(p->title);
	if (missing)
		snprintf(p->title + n, sizeof(p->title) - n, ", %llu %s",
			 (unsigned long long)missing, what);
}

static void draw_set_title(struct graph_page *p, const struct graph *g, const char *of)
{
	const char *name = strrchr(g->file, '/');
	uint64_t missing = draw_count_missing(&g->capture);

	snprintf(p->title, sizeof(p->title), "%.100s: %.100s", name ? name + 1 : g->file, of);
	draw_add_to_title(p, missing, "snapshots are missing");
	draw_add_to_title(p, g->capture.h.missed_moments, "moments were missed");
}

/*
 * Return the number of connections to draw, at most `most`. Files for xgraph have no limit, because
 * nodometer writes them without drawing.
 */
static size_t draw_limit_connections(const struct graph *g, size_t most)
{
	size_t n = g->capture.n_connections;

	if (g->form == GRAPH_XGRAPH || n <= most)
		return n;
	log_warning("%s: only the first %zu of %zu connections are drawn; choose others with -p",
		    g->file, most, n);
	return most;
}

static void draw_build_connection_page(struct graph_page *p, const struct graph *g, size_t i)
{
	const struct tcp_connection *n = &g->capture.connection[i];
	char more[16] = "";

	if (n->same)
		snprintf(more, sizeof(more), ".%u", n->same + 1);
	snprintf(p->suffix, sizeof(p->suffix), "%u.%u%s", n->ports.local, n->ports.remote, more);
	draw_set_title(p, g, n->name);
	p->n = 0;
	for (size_t k = 0; k < g->n_chosen; k++) {
		if (!g->chosen[k].column)
			continue;
		struct graph_curve *c = &p->curve[p->n++];
		*c = (struct graph_curve){ .of = &g->chosen[k], .connection = i };
		draw_name_curve(c, c->of->name);
	}
}

/*
 * Build a page for one column, with a curve for each connection, or a single curve if the column is
 * about the whole system.
 */
static void draw_build_column_page(struct graph_page *p, const struct graph *g,
				   const struct graph_column *of, size_t connections)
{
	bool whole = of->column->scope == PM_SCOPE_SYS;

	snprintf(p->suffix, sizeof(p->suffix), "%s", of->name);
	draw_set_title(p, g, of->name);
	p->n = whole ? 1 : connections;
	for (size_t i = 0; i < p->n; i++) {
		struct graph_curve *c = &p->curve[i];
		*c = (struct graph_curve){ .of = of, .connection = whole ? ALL_CONNECTIONS : i };
		draw_name_curve(c, whole ? of->name : g->capture.connection[i].name);
	}
}

static int draw_all_columns(const struct graph *g, struct graph_page *p)
{
	size_t there = 0, connections = draw_limit_connections(g, CURVES_MAX);
	unsigned number = 0;

	for (size_t i = 0; i < g->n_chosen; i++)
		there += g->chosen[i].column != NULL;
	for (size_t i = 0; i < g->n_chosen; i++) {
		if (!g->chosen[i].column)
			continue;
		draw_build_column_page(p, g, &g->chosen[i], connections);
		int r = draw_one_page(g, p, number++, there == 1);
		if (r < 0)
			return r;
	}
	return 0;
}

static int draw_all_connections(const struct graph *g, struct graph_page *p)
{
	size_t n = draw_limit_connections(g, GRAPHS_MAX);

	for (size_t i = 0; i < n; i++) {
		draw_build_connection_page(p, g, i);
		int r = draw_one_page(g, p, (unsigned)i, n == 1);
		if (r < 0)
			return r;
	}
	return 0;
}

int graph_draw(const struct graph *g)
{
	size_t most = g->by_column ? g->capture.n_connections + 1 : g->n_chosen;
	struct graph_page p = { .curve = xrealloc(NULL, (most + 1) * sizeof(*p.curve)) };

	int r = g->by_column ? draw_all_columns(g, &p) : draw_all_connections(g, &p);
	free(p.curve);
	return r;
}
