/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.c - plot the nodes of a report over time, and list the jobs that contributed most */
#include "report/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "figures/job.h"
#include "figures/units.h"
#include "report/series.h"
#include "report/spread.h"
#include "schema/type.h"

static void draw_put_nearest_key(struct buf *b, const struct type *t, struct str wanted)
{
	struct nearest near = { NULL, 0 };
	char key[NEAREST_LETTERS + 1];

	str_copy(key, sizeof(key), wanted);
	for (size_t i = 0; i < t->n_metrics; i++)
		nearest_try(&near, key, t->metrics[i].name);
	if (near.best && near.distance > 0)
		buf_addf(b, "; did you mean %s:%s?", t->name, near.best);
	else if (!near.best)
		buf_addf(b, "; \"nodometer types --schema %s\" lists its keys", t->name);
}

/*
 * Append a suggestion for a requested name that was not found: the most similar key if its type
 * exists, else the most similar type or derived figure.
 */
static void draw_put_nearest(struct buf *b, const struct wanted *w)
{
	struct nearest near = { NULL, 0 };
	char type[NEAREST_LETTERS + 1];
	const struct type *t = str_copy(type, sizeof(type), w->type) ? type_find(type) : NULL;

	if (t && w->key.n)
		draw_put_nearest_key(b, t, w->key);
	for (size_t i = 0; !t && i < n_types; i++)
		nearest_try(&near, type, types[i]->name);
	for (size_t i = 0; !t && !w->key.n && i < n_derived; i++)
		nearest_try(&near, type, derived[i].id);
	if (near.best)
		buf_addf(b, "; did you mean %s%s" STR_FMT "?", near.best, w->key.n ? ":" : "",
			 STR_ARG(w->key));
}

static void draw_refuse(const struct wanted *w, const struct listener *listener)
{
	struct buf meant CLEANUP(buf_free) = { 0 };
	draw_put_nearest(&meant, w);
	say_error(listener, "no records of " STR_FMT "%s" STR_FMT " among them" STR_FMT,
		  STR_ARG(w->type), w->key.n ? ":" : "", STR_ARG(w->key), STR_ARG(buf_str(&meant)));
}

/*
 * Choose a panel for each requested key. Returns false, after telling the listener, if the records
 * lack one of the keys.
 */
static bool choose_wanted(struct panels *p, const struct survey *y, const struct report *r,
			  const struct listener *listener)
{
	for (size_t i = 0; i < y->n_wanted; i++) {
		const struct wanted *w = &y->wanted[i];
		if (w->derived ? panels_derived(p, r, w->derived) : w->found)
			continue;
		if (w->derived)
			say_error(listener, "no records of the inputs of %s: %s", w->derived->id,
				  w->derived->formula);
		else
			draw_refuse(w, listener);
		return false;
	}
	panels_named(p, y->key, y->n_keys);
	return true;
}

/*
 * Choose the panels that have data. Returns false, after telling the listener, if no panel has
 * data.
 */
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
		say_error(listener, y->n_wanted ? "nothing to draw: control registers are not "
			  "quantities" : "nothing to draw: the usual types counted nothing, or "
			  "have one sample at most");
	return p->n > 0;
}

/* Argument of read_line(), which reads one line of the chart in a child process. */
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

static void draw_take_line(void *arg, size_t i, struct str bytes)
{
	const struct filling *f = arg;
	series_take(f->series, i, bytes);
}

static void fill(struct series *s, const struct search *q, const struct report *all)
{
	struct filling f = { s, q, all };
	const struct spread spread = { read_line, draw_take_line, &f };
	spread_run(&spread, 0, s->lines->n, spread_cpus());
}

void draw_survey(struct survey *y, const struct search *q, const struct report *r)
{
	const struct survey empty = { .wanted = y->wanted, .n_wanted = y->n_wanted, .sum = y->sum,
				      .by_device = y->by_device, .device = y->device };
	survey_free(y);
	*y = empty;
	for (size_t i = 0; i < y->n_wanted; i++)
		y->wanted[i].found = false;
	for (y->node = 0; y->node < r->n; y->node++)
		search_node(q, &r->node[y->node], (struct figures){ 0 }, survey_sample, y);
}

/*
 * Choose one line per node or device. Returns false, after telling the listener, if there are no
 * lines or more than LINES_MAX.
 */
static bool choose_lines(struct survey *y, const struct report *r, const struct listener *listener)
{
	if (y->by_device)
		lines_sort(&y->lines);
	else
		lines_add_nodes(&y->lines, r);
	bool found = y->lines.n > 0 && (y->rows == 0 || y->matched > 0);
	if (y->lines.too_many)
		say_error(listener, "more than %d devices: select some with --device", LINES_MAX);
	else if (!found)
		say_error(listener, "no records of this device");
	return found && !y->lines.too_many;
}

/*
 * Describe the chart, a sentence per panel: "Job 7: n1, ... CPU, user, %: at most 97.2. Load: at
 * most 16."
 */
static void describe(struct buf *words, const struct chart *c)
{
	buf_addf(words, "%s.", c->title);
	for (size_t i = 0; i < c->n_panels; i++) {
		const struct chart_panel *p = &c->panel[i];
		buf_addf(words, " %s%s%s: at most %.4g.", p->title, p->unit[0] ? ", " : "",
			 p->unit, p->largest * p->by);
	}
}

#define SHOWN 5		/* jobs listed per panel */

/* Integral of a panel's values over the time in which exactly the jobs in .jobs were on a node. */
struct cause {
	char *jobs;
	/*
	 * .hosts: number of hosts with these jobs; .newest: 1 + index of the host that was counted
	 * last
	 */
	size_t panel, hosts, newest;
	double sum;
	int64_t from, to;
};

struct causes {
	const struct panels *panels;
	struct steps steps;
	struct cause *cause;
	size_t n, cap;
	struct map by_jobs;
	size_t host;
	double whole[PANELS_MAX];
};

static struct cause *find_cause(struct causes *c, size_t panel, struct str jobs)
{
	uint64_t hash = map_hash(jobs) + panel;

	for (struct map_slot *at = NULL; (at = map_next(&c->by_jobs, hash, at)); ) {
		struct cause *k = &c->cause[at->value.n];
		if (k->panel == panel && str_eq(jobs, str_of(k->jobs)))
			return k;
	}
	map_add(&c->by_jobs, hash, (union map_value){ .n = c->n });
	c->cause = vec_reserve(c->cause, &c->cap, c->n + 1, sizeof(*c->cause));
	c->cause[c->n] = (struct cause){ .jobs = xstrdup(jobs), .panel = panel };
	return &c->cause[c->n++];
}

static void add_cause(struct causes *c, size_t panel, struct str jobs, const struct span *v)
{
	double n = (v->v0 + v->v1) / 2 * (double)(v->to - v->from) / 1e6;
	if (!(n > 0))
		return;
	struct cause *k = find_cause(c, panel, jobs);
	k->from = k->sum > 0 && k->from < v->from ? k->from : v->from;
	k->to = k->sum > 0 && k->to > v->to ? k->to : v->to;
	k->hosts += k->newest != c->host + 1;
	k->newest = c->host + 1;
	k->sum += n;
	c->whole[panel] += n;
}

static void take_causes(void *arg, const struct job_sample *t)
{
	struct causes *c = arg;
	const struct record *r = t->record;
	struct counted counted[N_QUANTITIES];
	struct buf jobs CLEANUP(buf_free) = { 0 };
	struct span span;

	for (size_t i = 0; i < r->n_jobs; i++)
		buf_addf(&jobs, "%s" STR_FMT, i ? "," : "", STR_ARG(r->job[i]));
	if (t->what & JOB_OPEN)
		steps_break(&c->steps);
	steps_take(&c->steps, t);
	counted_take(counted, &c->steps);
	for (size_t i = 0; i < c->panels->n; i++)
		if (c->panels->panel[i].rate && !c->panels->panel[i].derived &&
		    panel_span(&c->panels->panel[i], &c->steps, counted, &span))
			add_cause(c, i, buf_str(&jobs), &span);
}

static int by_sum(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;
	if (x->panel != y->panel)
		return x->panel < y->panel ? -1 : 1;
	return x->sum > y->sum ? -1 : x->sum < y->sum;
}

/* Format a time span. If the span crosses midnight, both times have a date but no seconds. */
static struct text from_to(int64_t from, int64_t to)
{
	struct text a = text_clock(from), b = text_clock(to), both;
	bool one_day = strlen(a.s) > 6 && strncmp(a.s, b.s, 6) == 0;

	snprintf(both.s, sizeof(both.s), one_day ? "%.14s to %.8s" : "%.11s to %.11s", a.s,
		 one_day ? b.s + 6 : b.s);
	return both;
}

static void put_cause(struct buf *b, const struct causes *c, const struct cause *k)
{
	const struct panel *p = &c->panels->panel[k->panel];
	struct text amount = text_value(p->unit, k->sum);

	buf_addf(b, "  %-17s %5.1f %% %10s  %s, %zu host%s\n",
		 k->jobs[0] ? text_name(str_of(k->jobs), 17).s : "no job",
		 100 * k->sum / c->whole[k->panel], amount.s, from_to(k->from, k->to).s,
		 k->hosts, k->hosts == 1 ? "" : "s");
}

/*
 * For each panel that shows a rate, list the jobs with the largest sums, in lines of at most 80
 * columns.
 */
static void put_causes(struct buf *b, const struct panels *p, const struct search *q,
		       const struct report *r)
{
	struct causes c = { .panels = p };
	size_t shown = 0;

	steps_init(&c.steps, panels_table(p));
	for (c.host = 0; c.host < r->n; c.host++) {
		steps_break(&c.steps);
		search_node(q, &r->node[c.host], panels_table(p), take_causes, &c);
	}
	if (c.n)
		qsort(c.cause, c.n, sizeof(*c.cause), by_sum);
	for (size_t i = 0; i < c.n; i++) {
		const struct cause *k = &c.cause[i];
		bool first = i == 0 || k->panel != c.cause[i - 1].panel;
		shown = first ? 0 : shown + 1;
		if (first)
			buf_addf(b, "\nMost of \"%s\", %s in all\n", p->panel[k->panel].title,
				 text_value(p->panel[k->panel].unit, c.whole[k->panel]).s);
		if (shown < SHOWN)
			put_cause(b, &c, k);
	}
	for (size_t i = 0; i < c.n; i++)
		free(c.cause[i].jobs);
	free(c.cause);
	map_free(&c.by_jobs);
	steps_free(&c.steps);
}

bool draw_program(struct buf *program, struct buf *words, struct buf *causes,
		  const struct search *q,
		  const struct report *r, struct survey *y, const struct plot_how *how,
		  const struct listener *listener)
{
	struct panels panels = { .n = 0 };
	bool any = choose_panels(&panels, y, r, listener) && choose_lines(y, r, listener);

	if (any) {
		struct series series;
		series_init(&series, &panels, y, r, how->map);
		fill(&series, q, r);
		if (y->sum)
			series_sum(&series);
		series_name(&series, y, r);
		if (words)
			describe(words, &series.chart);
		plot_put_script(program, &series.chart, how);
		if (causes)
			put_causes(causes, &panels, q, r);
		series_free(&series);
	}
	panels_free(&panels);
	return any;
}
