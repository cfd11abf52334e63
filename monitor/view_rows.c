/* SPDX-License-Identifier: BSD-3-Clause */
/* view_rows.c - the lines of a page: statistics of items, or of the elements of a class */
#include "monitor/view.h"

#include <stdio.h>

double view_scale(double largest)
{
	double end = 10;
	for (int i = 0; end < largest && i < 60; i++)
		end *= i % 3 == 1 ? 2.5 : 2;
	return end;
}

/* A line: the item of a series. */
struct row {
	const char *label;
	const struct stat_of *stat;
};

struct row_list {
	const struct shown *shown;
	const struct view_rows *rows;
	size_t at, item;	/* the next element, or item */
};

static bool is_shown(const struct vms_item *item)
{
	return item->kind == VMS_COUNT || item->kind == VMS_AMOUNT;
}

/* Items of one series; false: no more. */
static bool next_item(struct row_list *l, struct row *ret)
{
	const struct vms_class *c = &vms_classes[l->shown->class];
	while (l->item < c->n_items && !is_shown(&c->item[l->item]))
		l->item++;
	if (l->item >= c->n_items)
		return false;
	*ret = (struct row){ c->item[l->item].title, &l->rows->series->of[l->item] };
	l->item++;
	return true;
}

static bool next_element(struct row_list *l, struct row *ret)
{
	const struct class_stats *c = &l->shown->stats->of[l->shown->class];
	while (l->at < c->n && view_leaves_out(l->shown, l->at))
		l->at++;
	if (l->at >= c->n)
		return false;
	const char *file = l->shown->class == VMS_RMS ? view_file(l->shown, l->at) : NULL;
	*ret = (struct row){ file ? file : c->series[l->at].name,
			     &c->series[l->at].of[l->rows->item] };
	l->at++;
	return true;
}

static bool next_row(struct row_list *l, struct row *ret)
{
	return l->rows->series ? next_item(l, ret) : next_element(l, ret);
}

static bool can_be_percent(size_t class)
{
	return class == VMS_DISK || class == VMS_MODES || class == VMS_SCS || class == VMS_STATES;
}

/* Of one statistic over all lines: their sum and the largest. */
static double sum_of(const struct shown *s, const struct view_rows *r, enum statistic which,
		     double *largest)
{
	struct row_list l = { s, r, 0, 0 };
	struct row row;
	double sum = 0, v;
	*largest = 0;
	while (next_row(&l, &row))
		if (stat_value(row.stat, which, &v)) {
			sum += v;
			*largest = v > *largest ? v : *largest;
		}
	return sum;
}

/* In percent of the sum, where that is asked for. */
static bool value_of(const struct shown *s, const struct row *row, enum statistic which,
		     double sum, double *ret)
{
	if (!stat_value(row->stat, which, ret))
		return false;
	if (s->view->percent && can_be_percent(s->class))
		*ret = sum > 0 ? 100 * *ret / sum : 0;
	return true;
}

static void put_number(char to[24], bool known, double v)
{
	if (known)
		snprintf(to, 24, "%11.2f", v);
	else
		snprintf(to, 24, "%11s", "-");
}

static double full_scale(const struct shown *s, const struct view_rows *r, double largest)
{
	if (s->view->percent && can_be_percent(s->class))
		return 100;
	if (s->class == VMS_MODES)
		return r->series == &s->stats->of[VMS_MODES].all ?
		       100.0 * (double)s->stats->of[VMS_MODES].n : 100;
	return view_scale(largest);
}

static void add_bars(const struct shown *s, const struct view_rows *r, struct page *ret)
{
	struct row_list l = { s, r, 0, 0 };
	enum statistic which = s->moment ? s->view->which : STAT_AVERAGE;
	double largest, sum = sum_of(s, r, which, &largest), full = full_scale(s, r, largest);
	struct row row;
	char number[24];
	while (next_row(&l, &row)) {
		double v = 0;
		bool known = value_of(s, &row, which, sum, &v);
		put_number(number, known, v);
		page_add(ret, known ? v / full : 0, "%-28.28s %s", row.label, number);
	}
	page_add(ret, -1, "%-28s %11s 0 to %.0f", "", "", full);
}

static void add_table(const struct shown *s, const struct view_rows *r, struct page *ret)
{
	struct row_list l = { s, r, 0, 0 };
	double sum[STATISTICS], largest;
	struct row row;
	for (int i = 0; i < STATISTICS; i++)
		sum[i] = sum_of(s, r, (enum statistic)i, &largest);
	while (next_row(&l, &row)) {
		char number[STATISTICS][24];
		for (int i = 0; i < STATISTICS; i++) {
			double v = 0;
			bool known = (s->moment || i != STAT_CURRENT) &&
				     value_of(s, &row, (enum statistic)i, sum[i], &v);
			put_number(number[i], known, v);
		}
		page_add(ret, -1, "%-28.28s %s %s %s %s", row.label, number[0], number[1],
			 number[2], number[3]);
	}
}

void view_add_rows(const struct shown *s, const struct view_rows *r, struct page *ret)
{
	if (r->bars)
		add_bars(s, r, ret);
	else
		add_table(s, r, ret);
	if (ret->n == 0)
		page_add(ret, -1, "none");
}
