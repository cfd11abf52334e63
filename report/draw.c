/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.c - what the nodes of a report did over time, as a program for gnuplot */
#include "report/draw.h"

#include "report/series.h"
#include "report/spread.h"

/* Chooses panels for the keys that the survey wanted; false, and said why: there are none. */
static bool choose_wanted(struct panels *p, const struct survey *y, const struct report *r,
			  const struct listener *listener)
{
	for (size_t i = 0; i < y->n_wanted; i++) {
		const struct wanted *w = &y->wanted[i];
		if (w->derived ? panels_derived(p, r, w->derived) : w->found)
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
		say_error(listener, y->n_wanted ? "nothing to draw: control registers are no "
			  "quantities" : "nothing to draw: the usual types counted nothing, or "
			  "have one sample at most");
	return p->n > 0;
}

/* The page while it is filled. */
struct filling {
	struct series *series;
	const struct search *q;
	const struct report *report;
};

static void read_line(void *arg, size_t i, struct buf *out)
{
	const struct filling *f = arg;
	struct series *s = f->series;
	const struct line *line = &s->lines->line[i];
	const struct node *node = &f->report->node[line->node];
	struct buf device CLEANUP(buf_free) = { 0 };
	struct search q = *f->q;

	if (line->device) {
		line_put_pattern(&device, line->device);
		q.ask.device = device.p;
	}
	series_begin(s, i, node);
	search_node(&q, node, panels_table(s->panels), series_sample, s);
	series_end(s);
	series_put(s, i, out);
}

static void take_line(void *arg, size_t i, struct str bytes)
{
	const struct filling *f = arg;
	series_take(f->series, i, bytes);
}

static void fill(struct series *s, const struct search *q, const struct report *all)
{
	struct filling f = { s, q, all };
	const struct spread spread = { read_line, take_line, &f };
	spread_run(&spread, 0, s->lines->n, spread_cpus());
}

void draw_survey(struct survey *y, const struct search *q, const struct report *r)
{
	const struct survey empty = { .wanted = y->wanted, .n_wanted = y->n_wanted,
				      .by_device = y->by_device, .device = r->device };
	survey_free(y);
	*y = empty;
	for (size_t i = 0; i < y->n_wanted; i++)
		y->wanted[i].found = false;
	for (y->node = 0; y->node < r->n; y->node++)
		search_node(q, &r->node[y->node], (struct figures){ 0 }, survey_sample, y);
}

/* False, and said why: there is none, or more than anybody looks at. */
static bool choose_lines(struct survey *y, const struct report *r, const struct listener *listener)
{
	if (y->by_device)
		lines_sort(&y->lines);
	else
		lines_add_nodes(&y->lines, r);
	if (y->lines.too_many)
		say_error(listener, "more than %d devices: --device chooses some", LINES_MAX);
	else if (y->lines.n == 0)
		say_error(listener, "no such device among the records");
	return y->lines.n > 0 && !y->lines.too_many;
}

/* "Job 7: n1, ... CPU, user, %: at most 97.2. Load: at most 16." */
static void describe(struct buf *words, const struct chart *c)
{
	buf_addf(words, "%s.", c->title);
	for (size_t i = 0; i < c->n_panels; i++) {
		const struct chart_panel *p = &c->panel[i];
		buf_addf(words, " %s%s%s: at most %.4g.", p->title, p->unit[0] ? ", " : "",
			 p->unit, p->largest * p->by);
	}
}

bool draw_program(struct buf *program, struct buf *words, const struct search *q,
		  const struct report *r, struct survey *y, const struct plot_how *how,
		  const struct listener *listener)
{
	struct panels panels = { .n = 0 };
	bool any = choose_panels(&panels, y, r, listener) && choose_lines(y, r, listener);

	if (any) {
		struct series series;
		series_init(&series, &panels, y, r, how->map);
		fill(&series, q, r);
		series_name(&series, y, r);
		if (words)
			describe(words, &series.chart);
		plot_put_script(program, &series.chart, how);
		series_free(&series);
	}
	panels_free(&panels);
	return any;
}
