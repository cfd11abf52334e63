/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h - the values of each panel and node over time, on a grid that all nodes share */
#pragma once

#include "plot/panels.h"
#include "plot/survey.h"

/*
 * The grid's edges are the times of all samples, if these are 1,000 at most: what is drawn is then
 * exact. Otherwise they are so far apart that there are 1,000 parts, and each shows the mean over
 * itself; for more than 64 million values (320 MiB: 3,355 nodes of 20 panels) the parts are fewer.
 */
#define SERIES_EDGES_MAX  1001
#define SERIES_VALUES_MAX ((size_t)64 << 20)

struct series {
	const struct panels *panels;
	int64_t *edge;
	size_t n_edges;
	bool exact;
	size_t n_nodes;
	float *value;		/* [node][panel][edge], NAN: not known */
	bool *joined;		/* .exact: a gauge is known from the edge before to this one */

	/* the node that is being read */
	size_t at;
	int64_t start, interval, usec;
	struct steps steps;
	struct part {
		double sum, weight;
		bool joined;
	} *part;		/* [panel][edge] */
};

void series_init(struct series *s, const struct panels *p, const struct survey *y,
		 const struct report *r);
void series_free(struct series *s);
void series_begin(struct series *s, size_t number, const struct node *node);
void series_taken(void *series, const struct taken *t);	/* for struct report */
void series_end(struct series *s);

/*
 * Where a value is drawn, in microseconds: rates from *x0 to *x1, the others at *x0 = *x1.
 * False after the last one.
 */
bool series_place(const struct series *s, const struct panel *p, size_t slot, double *x0,
		  double *x1);

/* Whether a line may go from the slot before to this one. */
bool series_joined(const struct series *s, size_t node, size_t panel, size_t slot);

static inline float *series_values(const struct series *s, size_t node, size_t panel)
{
	return s->value + (node * s->panels->n + panel) * s->n_edges;
}
