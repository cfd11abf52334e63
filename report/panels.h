/* SPDX-License-Identifier: BSD-3-Clause */
/* panels.h - choose the panels of nodometer plot: default figures, or what the user asked for */
#pragma once

#include "figures/report.h"
#include "figures/counted.h"

#define PANEL_FIGURES 3
#define PANELS_MAX    24	/* largest number of panels on a page */
#define PANEL_TITLE   80

struct panel {
	char title[PANEL_TITLE];
	/* indexes into .row of struct panels; the panel shows the sum of these figures */
	size_t figure[PANEL_FIGURES];
	size_t n;
	/* derived figure that the panel shows instead of .figure, or NULL */
	const struct derived *derived;
	bool share;	/* shown in percent of the sum of all FIGURE_SHARE figures of the type */
	bool rate;			/* shown per second */
	enum figure_unit unit;
	/*
	 * title of the axis if values are drawn unscaled; "": scale the values to kilo, mega and so
	 * on, and take the title from .unit
	 */
	char unit_name[16];
};

/* A key in the records, of a type that the user asked for. */
struct key_found {
	char *type, *key;
	enum metric_kind kind;
	char unit[16], unit_name[16];	/* .unit of struct record_key, and foreign_unit() of it */
};

struct panels {
	struct panel panel[PANELS_MAX];
	size_t n;
	/* table of the figures to read; figures of the same type are adjacent */
	struct figure *row;
	size_t n_rows;
	size_t left_out;	/* number of panels that were dropped because of PANELS_MAX */
};

static inline struct figures panels_table(const struct panels *p)
{
	return (struct figures){ p->row, p->n_rows };
}

/* Add the default panels (usual_panels[]) for which the report has data. */
void panels_usual(struct panels *p, const struct report *r);

/* Add a panel for a derived figure. Returns false if the report has no data for it. */
bool panels_derived(struct panels *p, const struct report *r, const struct derived *d);

/* Add a panel for each key except control registers. Borrows the keys. */
void panels_named(struct panels *p, const struct key_found *key, size_t n);
void panels_free(struct panels *p);

/*
 * A panel's value between two samples of a node, linear from v0 to v1. Times are in microseconds.
 */
struct span {
	int64_t from, to;
	double v0, v1;
};
/*
 * Compute the panel's value between the last two samples in s. "counted" is the result of
 * counted_take() for s. Returns false if the value is unknown.
 */
bool panel_span(const struct panel *p, const struct steps *s,
		const struct counted counted[N_QUANTITIES], struct span *ret);
