/* SPDX-License-Identifier: BSD-3-Clause */
/* run_row.h - what is kept of a run: its use, its figures, its program and its nodes, as bytes */
#pragma once

#include "figures/slow.h"
#include "figures/units.h"
#include "report/jobs/job_used.h"

/* A figure of a run, one of figures[] or, after these, of derived[]. */
size_t run_figure_find(struct str name);	/* run_figures(): there is none */
size_t run_figures(void);
struct figure_id run_figure_name(size_t figure);

/*
 * .n is what a report of the run has of all nodes: the sum of a counter, the percentage of a share,
 * the largest of a peak or a limit, the mean of means.
 */
struct run_value {
	double n;
	enum derived_bound bound;	/* never BOUND_UNKNOWN */
};
struct text run_value_text(size_t figure, const struct run_value *v);	/* for people */

/* A run on one of its nodes. */
struct run_node {
	const char *name;
	double hours;			/* of the node */
	double unused;			/* of them; negative: not known */
	struct used cpus, gpus;		/* .of is 0: not known */
	double joules;			/* the run's share; 0: not known */
	struct slow_node slow;
};

/* All texts borrow from the bytes that it was taken from. */
struct run_row {
	struct job_used used;
	double node_hours;
	const char *program;	/* with the process that used most memory; "": not known */
	size_t n_values, n_nodes;
	struct str values, nodes;
};

/* Adds the bytes, for this program and others of the same formula. The report is of the run. */
void run_row_put(struct buf *b, const struct report *r, const struct job_used *u);

/* False: the bytes are something else, and *ret is not to be used. */
bool run_row_take(struct str bytes, struct run_row *ret);
bool run_row_value(const struct run_row *row, size_t figure, struct run_value *ret);
/* The first node if *at is .nodes, then the others: false, there is none more. */
bool run_row_next_node(struct str *at, struct run_node *ret);

/* Of all that the bytes are made by; a site's thresholds are, too. */
uint64_t run_row_formula(const struct finding_site *site);
