/* SPDX-License-Identifier: BSD-3-Clause */
/* series.c - the values of each panel and node over time, on a grid that all nodes share */
#include "plot/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "figures/job.h"

static void even_edges(struct series *s, int64_t start, int64_t end, size_t n)
{
	s->edge = xrealloc(NULL, n * sizeof(*s->edge));
	s->n_edges = n;
	for (size_t i = 0; i < n; i++)
		s->edge[i] = start + (int64_t)((double)(end - start) * (double)i / (double)(n - 1));
}

void series_init(struct series *s, const struct panels *p, const struct survey *y,
		 const struct report *r)
{
	size_t room = SERIES_VALUES_MAX / (r->n * p->n);

	*s = (struct series){ .panels = p, .n_nodes = r->n };
	if (room > SERIES_EDGES_MAX)
		room = SERIES_EDGES_MAX;
	if (y->n_times > 1 && y->n_times <= room) {
		s->exact = true;
		s->n_edges = y->n_times;
		s->edge = xrealloc(NULL, s->n_edges * sizeof(*s->edge));
		memcpy(s->edge, y->time, s->n_edges * sizeof(*s->edge));
	} else {
		even_edges(s, r->start, r->end, room > 2 ? room : 2);
	}
	size_t n = r->n * p->n * s->n_edges;
	s->value = xrealloc(NULL, n * sizeof(*s->value));
	for (size_t i = 0; i < n; i++)
		s->value[i] = NAN;
	s->joined = s->exact ? xrealloc(NULL, n * sizeof(*s->joined)) : NULL;
	s->part = xrealloc(NULL, p->n * s->n_edges * sizeof(*s->part));
	steps_init(&s->steps, panels_table(p));
}

void series_free(struct series *s)
{
	steps_free(&s->steps);
	free(s->edge);
	free(s->value);
	free(s->joined);
	free(s->part);
}

void series_begin(struct series *s, size_t number, const struct node *node)
{
	s->at = number;
	s->start = node->start;
	s->interval = node->interval;
	s->usec = 0;
	steps_break(&s->steps);
	memset(s->part, 0, s->panels->n * s->n_edges * sizeof(*s->part));
}

static bool is_flat(const struct panel *p)
{
	return p->rate || p->share;
}

/* The part of time that a slot stands for. */
static bool slot_time(const struct series *s, const struct panel *p, size_t slot, int64_t *from,
		      int64_t *to)
{
	bool moment = s->exact && !is_flat(p);
	if (slot + !moment >= s->n_edges)
		return false;
	*from = s->edge[slot];
	*to = s->edge[slot + !moment];
	return true;
}

/* The slot that this time is in, or the first. */
static size_t slot_of(const struct series *s, int64_t usec)
{
	size_t low = 0, high = s->n_edges;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (s->edge[mid] <= usec)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void spread(struct series *s, size_t panel, const struct span *v)
{
	const struct panel *p = &s->panels->panel[panel];
	struct part *part = s->part + panel * s->n_edges;
	double slope = (v->v1 - v->v0) / (double)(v->to - v->from);
	int64_t from, to;

	for (size_t i = slot_of(s, v->from); slot_time(s, p, i, &from, &to) && from <= v->to; i++) {
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

/* Further apart than the report allows without calling it a gap, or back in time. */
static bool is_gap(const struct series *s, int64_t usec)
{
	int64_t since = usec - s->usec;
	return since < 0 || (s->interval > 0 && 2 * since > 5 * s->interval);
}

void series_taken(void *series, const struct taken *t)
{
	struct series *s = series;
	int64_t usec = t->record->usec;
	struct span span;

	if ((t->what & JOB_OPEN) || is_gap(s, usec))
		steps_break(&s->steps);
	s->usec = usec;
	steps_take(&s->steps, t);
	for (size_t i = 0; i < s->panels->n; i++)
		if (panel_span(&s->panels->panel[i], &s->steps, &span) && span.from >= s->start)
			spread(s, i, &span);
}

void series_end(struct series *s)
{
	size_t n = s->panels->n * s->n_edges;
	for (size_t i = 0; i < n; i++) {
		if (s->part[i].weight > 0)
			s->value[s->at * n + i] = (float)(s->part[i].sum / s->part[i].weight);
		if (s->joined)
			s->joined[s->at * n + i] = s->part[i].joined;
	}
}

bool series_joined(const struct series *s, size_t node, size_t panel, size_t slot)
{
	if (!s->joined || is_flat(&s->panels->panel[panel]))
		return true;
	return s->joined[(node * s->panels->n + panel) * s->n_edges + slot];
}

bool series_place(const struct series *s, const struct panel *p, size_t slot, double *x0,
		  double *x1)
{
	int64_t from, to;
	if (!slot_time(s, p, slot, &from, &to))
		return false;
	*x0 = (double)from;
	*x1 = (double)to;
	if (!is_flat(p))
		*x0 = *x1 = (*x0 + *x1) / 2;
	return true;
}
