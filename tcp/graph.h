/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h - what nodometer tcp graph was asked for, and the parts that do it */
#pragma once

#include "tracers/tcp/capture.h"

enum graph_form {
	GRAPH_WINDOW,
	GRAPH_TERMINAL,
	GRAPH_PNG,
	GRAPH_SVG,
	GRAPH_PROGRAM,
	GRAPH_XGRAPH,
};

/* A column to show. */
struct chosen {
	const struct pm_column *column;	/* NULL: the file has none */
	const char *name;		/* as asked for */
	enum pm_unit unit;
	double scale;			/* of option -S; 1 */
};

struct graph {
	struct capture capture;
	const char *file;		/* as it was called */
	const char *output;		/* NAME.png, or NULL */
	enum graph_form form;
	bool by_column;			/* -P: a graph for each column */
	bool everything;		/* no column was asked for */
	bool scaled;			/* by -S */
	struct chosen *chosen;
	size_t n_chosen, cap_chosen;
	int64_t start;			/* of the first snapshot: x is 0 there */
};

/* -T: the snapshots as lines of text. */
void graph_put_text(struct buf *b, const struct graph *g);
/* -D: a line for each gap in seq_no; before is what each begins with. */
void graph_put_gaps(struct buf *b, const struct graph *g, const char *before);
/* -M: the most memory that clusters took. */
void graph_put_memory(struct buf *b, const struct graph *g);
/* -d: what the header says, and how much there is. */
void graph_put_header(struct buf *b, const struct graph *g);

struct curve {
	const struct chosen *of;
	size_t connection;		/* ALL_CONNECTIONS: of the whole system */
	char name[192];
};
#define ALL_CONNECTIONS SIZE_MAX
#define GRAPHS_MAX 100		/* of connections: gnuplot takes 0.1 s for each */
#define CURVES_MAX 1024		/* of a graph */

struct page {
	char title[256];
	char suffix[64];		/* of the name of its file: "1055.5050", "snd_cwnd" */
	struct curve *curve;
	size_t n;
};

const char *graph_unit(const struct graph *g, const struct chosen *c);

/* "x y" lines, x in seconds from the first snapshot; how many. */
size_t graph_put_points(struct buf *b, const struct graph *g, const struct curve *c);

/* Draws each page. 0, or -errno and said why. */
int graph_draw(const struct graph *g) MUST_CHECK;

/* A program for gnuplot. */
void graph_put_script(struct buf *b, const struct graph *g, const struct page *p, unsigned number,
		      unsigned width);
