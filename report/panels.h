/* SPDX-License-Identifier: BSD-3-Clause */
/* panels.h - what nodometer plot draws: panels, made of the report's figures or of named keys */
#pragma once

#include "figures/report.h"
#include "figures/counted.h"

#define PANEL_FIGURES 3
#define PANELS_MAX    24	/* of one page */
#define PANEL_TITLE   80

struct panel {
	char title[PANEL_TITLE];
	size_t figure[PANEL_FIGURES];	/* of the page's table: they are added up */
	size_t n;
	const struct derived *derived;	/* not NULL: it is this one, made of the table's rows */
	bool share;			/* percent of all shares of the type */
	bool rate;			/* per second */
	enum figure_unit unit;
	char unit_name[16];		/* not "": what is drawn is in this unit, as it is */
};

/* A key that records have, of a type that was asked for. */
struct key_found {
	char *type, *key;
	enum metric_kind kind;
	char unit[16], unit_name[16];	/* as struct record_key has them */
};

struct panels {
	struct panel panel[PANELS_MAX];
	size_t n;
	struct figure *row;		/* the table: those of one type stand together */
	size_t n_rows;
	size_t left_out;		/* panels that would have been too many */
};

static inline struct figures panels_table(const struct panels *p)
{
	return (struct figures){ p->row, p->n_rows };
}

void panels_usual(struct panels *p, const struct report *r);

/* A derived figure; false: the report has no data for it. */
bool panels_derived(struct panels *p, const struct report *r, const struct derived *d);

/* A panel for each of these keys that is no control register; they are borrowed. */
void panels_named(struct panels *p, const struct key_found *key, size_t n);
void panels_free(struct panels *p);

/* A panel's value between two samples of a node; it goes from v0 to v1. */
struct span {
	int64_t from, to;
	double v0, v1;
};
/* counted: what counted_take() makes of the steps. */
bool panel_span(const struct panel *p, const struct steps *s,
		const struct counted counted[N_QUANTITIES], struct span *ret);
