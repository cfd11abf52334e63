/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.c - what the nodes of a report did over time, as a program for gnuplot */
#include "report/draw.h"

#include "report/series.h"

/* What the survey wanted; false, and said why: there is nothing of it. */
static bool choose_wanted(struct panels *p, const struct survey *y, const struct report *r,
			  const struct listener *listener)
{
	for (size_t i = 0; i < y->n_wanted; i++) {
		const struct wanted *w = &y->wanted[i];
		if (w->derived ? panels_derived(p, r, w->derived, w->derived->label) : w->found)
			continue;
		if (w->derived)
			say_error(listener, "no records of what %s is made of: %s", w->derived->id,
				  w->derived->formula);
		else
			say_error(listener, "no records of " STR_FMT "%s" STR_FMT " among them",
				  STR_ARG(w->type), w->key.n ? ":" : "", STR_ARG(w->key));
		return false;
	}
	panels_named(p, y->key, y->n_keys);
	return true;
}

/* Panels that have something to show. False, and said why. */
static bool choose_panels(struct panels *p, const struct survey *y, const struct report *r,
			  const struct listener *listener)
{
	if (y->n_wanted == 0)
		panels_usual(p, r);
	else if (!choose_wanted(p, y, r, listener))
		return false;
	if (p->left_out > 0)
		say_warning(listener, "%zu panels left out: a page has %d at most", p->left_out,
			    PANELS_MAX);
	if (p->n == 0)
		say_error(listener, "nothing to draw: the usual types counted nothing, or have one "
			  "sample at most");
	return p->n > 0;
}

static void fill(struct series *s, const struct search *q, const struct report *all)
{
	for (size_t i = 0; i < all->n; i++) {
		series_begin(s, i, &all->node[i]);
		search_node(q, &all->node[i], panels_table(s->panels), series_taken, s);
		series_end(s);
	}
}

void draw_survey(struct survey *y, const struct search *q, const struct report *r)
{
	const struct survey empty = { .wanted = y->wanted, .n_wanted = y->n_wanted };
	survey_free(y);
	*y = empty;
	for (size_t i = 0; i < y->n_wanted; i++)
		y->wanted[i].found = false;
	for (size_t i = 0; i < r->n; i++)
		search_node(q, &r->node[i], (struct figures){ 0 }, survey_taken, y);
}

bool draw_program(struct buf *program, const struct search *q, const struct report *r,
		  const struct survey *y, const struct plot_how *how,
		  const struct listener *listener)
{
	struct panels panels = { .n = 0 };
	bool any = choose_panels(&panels, y, r, listener);

	if (any) {
		struct series series;
		series_init(&series, &panels, y, r);
		fill(&series, q, r);
		series_name(&series, y, r);
		plot_put_script(program, &series.chart, how);
		series_free(&series);
	}
	panels_free(&panels);
	return any;
}
