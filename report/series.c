/* SPDX-License-Identifier: BSD-3-Clause */
/* series.c - compute each panel's values over time, on a time grid that all nodes share */
#include "report/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "figures/job.h"
#include "figures/runs.h"
#include "figures/units.h"

/*
 * number of chart intervals per sampling interval in nodometer plot --map; fewer if there would be
 * more than SERIES_EDGES_MAX edges
 */
#define PARTS 4

static bool is_flat(const struct panel *p)
{
	return p->rate || p->share;
}

static void set_edges(struct chart *c, const struct survey *y, const struct report *r)
{
	double step = (double)(r->end - r->start) / (double)(c->n_edges - 1);
	for (size_t i = 0; i < c->n_edges; i++)
		c->edge[i] = c->exact ? y->time[i] : r->start + (int64_t)(step * (double)i);
}

void series_init(struct series *s, const struct panels *p, const struct survey *y,
		 const struct report *r, bool even)
{
	size_t room = SERIES_VALUES_MAX / (y->lines.n * p->n);
	if (room > SERIES_EDGES_MAX)
		room = SERIES_EDGES_MAX;
	bool exact = !even && y->n_times > 1 && y->n_times <= room;
	size_t edges = exact ? y->n_times : room > 2 ? room : 2;
	if (even && y->n_times > 1 && PARTS * y->n_times < edges)
		edges = PARTS * y->n_times + 1;

	*s = (struct series){ .panels = p, .lines = &y->lines };
	chart_init(&s->chart, y->lines.n, p->n, edges, exact);
	set_edges(&s->chart, y, r);
	for (size_t i = 0; i < p->n; i++)
		s->chart.panel[i].flat = is_flat(&p->panel[i]);
	s->part = xrealloc(NULL, p->n * edges * sizeof(*s->part));
	steps_init(&s->steps, panels_table(p));
}

void series_free(struct series *s)
{
	steps_free(&s->steps);
	chart_free(&s->chart);
	free(s->part);
}

void series_begin(struct series *s, size_t line, const struct node *node)
{
	s->at = line;
	s->start = node->start;
	s->interval = node->interval;
	s->usec = 0;
	steps_break(&s->steps);
	memset(s->part, 0, s->chart.n_panels * s->chart.n_edges * sizeof(*s->part));
}

/*
 * Return the index of the chart interval that contains this time; 0 for a time before the chart.
 */
static size_t slot_of(const struct chart *c, int64_t usec)
{
	size_t low = 0, high = c->n_edges;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (c->edge[mid] <= usec)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void spread(struct series *s, size_t panel, const struct span *v)
{
	const struct chart *c = &s->chart;
	struct part *part = s->part + panel * c->n_edges;
	double slope = (v->v1 - v->v0) / (double)(v->to - v->from);
	int64_t from, to;

	for (size_t i = slot_of(c, v->from);
	     chart_slot(c, panel, i, &from, &to) && from <= v->to; i++) {
		int64_t a = from > v->from ? from : v->from, b = to < v->to ? to : v->to;
		double weight = from == to ? 1 : (double)(b - a);
		if (b < a || weight == 0)
			continue;
		part[i].sum += weight * (v->v0 + slope * ((double)(a - v->from) +
							  (double)(b - a) / 2));
		part[i].weight += weight;
		part[i].joined |= from > v->from;
	}
}

/*
 * Return whether the line must be interrupted before this sample: more than 2.5 sampling intervals
 * passed since the previous sample (reports call this a gap, too), or the clock was set back.
 */
static bool is_gap(const struct series *s, int64_t usec)
{
	int64_t since = usec - s->usec;
	return since < 0 || (s->interval > 0 && 2 * since > 5 * s->interval);
}

void series_sample(void *series, const struct job_sample *t)
{
	struct series *s = series;
	int64_t usec = t->record->usec;
	struct counted counted[N_QUANTITIES];
	struct span span;

	if ((t->what & JOB_OPEN) || is_gap(s, usec))
		steps_break(&s->steps);
	s->usec = usec;
	steps_take(&s->steps, t);
	counted_take(counted, &s->steps);
	for (size_t i = 0; i < s->panels->n; i++)
		if (panel_span(&s->panels->panel[i], &s->steps, counted, &span) &&
		    span.from >= s->start)
			spread(s, i, &span);
}

void series_end(struct series *s)
{
	struct chart *c = &s->chart;
	size_t n = c->n_panels * c->n_edges;
	for (size_t i = 0; i < n; i++) {
		if (s->part[i].weight > 0)
			c->value[s->at * n + i] = (float)(s->part[i].sum / s->part[i].weight);
		if (c->joined)
			c->joined[s->at * n + i] = s->part[i].joined;
	}
}

void series_put(const struct series *s, size_t line, struct buf *b)
{
	const struct chart *c = &s->chart;
	size_t n = c->n_panels * c->n_edges;
	buf_add(b, (struct str){ (const char *)(c->value + line * n), n * sizeof(*c->value) });
	if (c->joined)
		buf_add(b, (struct str){ (const char *)(c->joined + line * n),
					 n * sizeof(*c->joined) });
}

void series_take(struct series *s, size_t line, struct str bytes)
{
	struct chart *c = &s->chart;
	size_t n = c->n_panels * c->n_edges;
	memcpy(c->value + line * n, bytes.p, n * sizeof(*c->value));
	if (c->joined)
		memcpy(c->joined + line * n, bytes.p + n * sizeof(*c->value),
		       n * sizeof(*c->joined));
}

/* Return whether the panel's values may be added up; percentages and ratios may not. */
static bool is_sum(const struct panel *p)
{
	return !p->share && !(p->derived && p->derived->under[0].quantity);
}

void series_sum(struct series *s)
{
	struct chart *c = &s->chart;
	size_t n = c->n_panels * c->n_edges;

	for (size_t i = 0; i < n; i++) {
		double sum = 0;
		size_t known = 0;
		for (size_t line = 0; line < c->n_lines; line++) {
			float v = c->value[line * n + i];
			sum += isnan(v) ? 0 : (double)v;
			known += !isnan(v);
			if (c->joined && line)
				c->joined[i] |= c->joined[line * n + i];
		}
		if (known == 0)
			continue;
		bool mean = !is_sum(&s->panels->panel[i / c->n_edges]);
		c->value[i] = (float)(mean ? sum / (double)known : sum);
		s->lacking |= known < c->n_lines;
	}
	s->summed = c->n_lines;
	c->n_lines = 1;
}

static void series_put_title(struct chart *c, const struct series *s, const struct report *r)
{
	struct buf t CLEANUP(buf_free) = { 0 };

	if (r->job)
		buf_addf(&t, "Job %s: ", text_name(str_of(r->job), 47).s);
	if (r->n == 1)
		buf_addf(&t, "%s", text_name(node_name(r, 0), 40).s);
	else
		buf_addf(&t, "%s%zu nodes%s", s->summed ? "sum of " : "", r->n,
			 s->lacking ? ", at times of fewer" : "");
	if (r->device)
		buf_addf(&t, ", %s", text_name(str_of(r->device), 40).s);
	buf_addf(&t, ", %s, %s", text_time(r->start).s, text_duration(report_duration(r)).s);
	str_copy(c->title, sizeof(c->title), buf_str(&t));
}

static struct axis axis_of_panel(const struct panel *p, double largest)
{
	if (p->share)
		return (struct axis){ 1, "%" };
	if (p->derived)
		return axis_of_derived(p->derived);
	if (p->unit_name[0])
		return (struct axis){ 1, p->unit_name };
	return largest > 0 ? axis_of(p->unit, p->rate, largest) :
			     (struct axis){ 1, axis_of(p->unit, p->rate, 1).unit };
}

static void name_panel(struct chart_panel *c, const struct panel *p)
{
	struct axis axis = axis_of_panel(p, fmax(c->largest, -c->least));

	str_copy(c->title, sizeof(c->title), str_of(text_name(str_of(p->title), PANEL_TITLE).s));
	str_copy(c->unit, sizeof(c->unit), str_of(axis.unit));
	c->by = axis.by;
	c->axis_top = p->share ? 100 : 0;
}

void series_name(struct series *s, const struct survey *y, const struct report *r)
{
	struct chart *c = &s->chart;

	series_put_title(c, s, r);
	c->start = r->start;
	c->end = r->end;
	c->mark = y->mark;
	c->n_marks = y->n_marks;
	for (size_t i = 0; i < c->n_lines; i++) {
		struct buf name CLEANUP(buf_free) = { 0 };
		line_put_name(&name, &s->lines->line[i], r);
		str_copy(c->line[i].name, sizeof(c->line[i].name), buf_str(&name));
	}
	chart_measure(c);
	for (size_t i = 0; i < c->n_panels; i++)
		name_panel(&c->panel[i], &s->panels->panel[i]);
}
