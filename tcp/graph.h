/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h - the request of nodometer tcp graph, and the functions that serve it */
#pragma once

#include "tcp/capture.h"

enum graph_form {
	GRAPH_WINDOW,
	GRAPH_TERMINAL,
	GRAPH_PNG,
	GRAPH_SVG,
	GRAPH_PROGRAM,
	GRAPH_XGRAPH,
};

/* A column that is to be shown. */
struct graph_column {
	const struct pm_column *column;	/* NULL if the column is not in the file */
	const char *name;		/* name of the column, as requested by the user */
	enum pm_unit unit;
	double scale;			/* factor for the values, from option -S; default 1 */
};

struct graph {
	struct capture capture;
	const char *file;		/* name of the .pm file, from the command line */
	const char *output;		/* name of the picture to write (NAME.png), or NULL */
	enum graph_form form;
	bool by_column;			/* -P: draw one graph for each column */
	bool everything;		/* no column was requested: show all */
	bool scaled;			/* option -S was given */
	struct graph_column *chosen;
	size_t n_chosen, cap_chosen;
	int64_t start;	/* time of the first snapshot, in microseconds; the origin of the x axis */
};

/* Append the snapshots as lines of text (-T). */
void graph_put_text(struct buf *b, const struct graph *g);
/* Append a line for each gap in the sequence numbers (-D). Each line starts with `before`. */
void graph_put_gaps(struct buf *b, const struct graph *g, const char *before);
/*
 * Append the largest amount of memory that TCP used in the whole system (-M): in bytes, or in
 * clusters if the file does not state the size of a cluster.
 */
void graph_put_memory(struct buf *b, const struct graph *g);
/* Append the header's contents and the number of snapshots (-d). */
void graph_put_header(struct buf *b, const struct graph *g);

struct graph_curve {
	const struct graph_column *of;
	/* index of the connection; ALL_CONNECTIONS: a column of the whole system */
	size_t connection;
	char name[192];
};
#define ALL_CONNECTIONS SIZE_MAX
#define GRAPHS_MAX 100		/* maximum number of graphs; gnuplot needs 0.1 s for each */
#define CURVES_MAX 1024		/* maximum number of curves in a graph */

struct graph_page {
	char title[256];
	char suffix[64];		/* part of the file name: "1055.5050", "snd_cwnd" */
	struct graph_curve *curve;
	size_t n;
};

const char *graph_unit(const struct graph *g, const struct graph_column *c);

/* Append lines "x y", x in seconds from the first snapshot. Returns the number of points. */
size_t graph_put_points(struct buf *b, const struct graph *g, const struct graph_curve *c);

/* Draw all pages. Returns 0, or -errno after logging the error. */
int graph_draw(const struct graph *g) MUST_CHECK;

/*
 * Append a gnuplot program that draws the page. `number` identifies the window; `width` is the
 * width of the terminal in characters.
 */
void graph_put_script(struct buf *b, const struct graph *g, const struct graph_page *p,
		      unsigned number, unsigned width);
