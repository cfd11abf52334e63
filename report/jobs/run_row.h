/* SPDX-License-Identifier: BSD-3-Clause */
/* run_row.h - serialize the results of a run (efficiency, figures, program, nodes) as a "row" */
#pragma once

#include "figures/slow.h"
#include "figures/units.h"
#include "report/jobs/job_used.h"

/* A figure number is an index in figures[], or n_figures plus an index in derived[]. */
/* returns run_figures() if the name is unknown */
size_t run_figure_find(struct str name);
size_t run_figures(void);
struct figure_id run_figure_name(size_t figure);

/*
 * Value of a figure over all nodes. .n is the sum for a counter, the percentage for a share, the
 * maximum for a peak or limit, the value of total_derived() for a derived figure, and otherwise the
 * mean of the nodes' means.
 */
struct run_value {
	double n;
	enum derived_bound bound;	/* never BOUND_UNKNOWN */
};
/* formats a value for people */
struct text run_value_text(size_t figure, const struct run_value *v);

/* A run on one of its nodes. */
struct run_node {
	const char *name;
	double hours;			/* hours of the run on this node */
	double unused;			/* idle part of .hours (struct job_used); < 0: unknown */
	struct used cpus, gpus;		/* cpus.of and gpus.of are 0 if the use is unknown */
	double joules;			/* the run's share of the node's energy; 0 if unknown */
	struct slow_node slow;
};

/* A parsed row: the results of one run. All strings point into the parsed bytes. */
struct run_row {
	struct job_used used;
	double node_hours;
	const char *program;	/* name of the process with the most memory; "" if unknown */
	size_t n_values, n_nodes;
	struct str values, nodes;
};

/*
 * Append the row of a run from its report. Only a program with the same run_row_formula() can parse
 * the row.
 */
void run_row_put(struct buf *b, const struct report *r, const struct job_used *u);

/* Parse a row. Returns false if the bytes are invalid; *ret is then undefined. */
bool run_row_take(struct str bytes, struct run_row *ret);
/* Get the value of a figure. Returns false if it is unknown. */
bool run_row_value(const struct run_row *row, size_t figure, struct run_value *ret);
/*
 * Get the next node and advance *at, which starts as a copy of .nodes. Returns false after the last
 * node.
 */
bool run_row_next_node(struct str *at, struct run_node *ret);

/*
 * Compute the "formula": a hash of all that determines a row apart from the records, namely the
 * version of the format, the figures, the rules and the site's thresholds.
 */
uint64_t run_row_formula(const struct finding_site *site);
