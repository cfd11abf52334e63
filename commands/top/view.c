/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c - show a moment of the node as a page for people */
#include "top/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"

#define NAME_WIDTH 18
#define CELL_WIDTH 10
#define NO_LIMIT 1e18	/* larger memory limits mean no limit */

struct cell {
	char s[24];
};

/* Format a value, or "-" if it is unknown. */
static struct cell view_cell(double v)
{
	struct cell c;
	if (isnan(v))
		snprintf(c.s, sizeof(c.s), "-");
	else
		snprintf(c.s, sizeof(c.s), v != 0 && fabs(v) < 10 ? "%.2f" : "%.1f", v);
	return c;
}

/* Format a number of things, or "-" if it is unknown. */
static struct cell view_number(double v)
{
	struct cell c = { "-" };
	if (!isnan(v))
		snprintf(c.s, sizeof(c.s), "%.0f", v);
	return c;
}

static bool view_is_wanted(const struct top_view *v, struct str name)
{
	return !v->filter[0] || memmem(name.p, name.n, v->filter, strlen(v->filter));
}

/*
 * Compare two devices for top_view_list(): largest first, by the first column, then the next ones.
 */
static int by_activity(const void *a, const void *b)
{
	const struct top_device *x = *(const struct top_device *const *)a;
	const struct top_device *y = *(const struct top_device *const *)b;
	for (size_t i = 0; i < TOP_KEYS && x->type->key[i].key; i++) {
		double p = isnan(x->now[i]) ? -1 : x->now[i], q = isnan(y->now[i]) ? -1 : y->now[i];
		if (p < q || p > q)
			return p < q ? 1 : -1;
	}
	return strcmp(x->name, y->name);
}

size_t top_view_list(const struct top_view *v, const struct top_type *t,
		     const struct top_device **to)
{
	size_t n = 0;
	for (size_t i = 0; i < v->now->n; i++) {
		const struct top_device *d = &v->now->device[i];
		if (d->type == t && view_is_wanted(v, str_of(d->name)))
			to[n++] = d;
	}
	if (v->order == TOP_BY_ACTIVITY && n)
		qsort(to, n, sizeof(*to), by_activity);
	return n;
}

static void view_put_cpu(const struct top_view *v, struct page *p)
{
	static const char *const keys[] = {
		"user", "nice", "system", "idle", "iowait", "irq", "softirq"
	};
	double in[ARRAY_SIZE(keys)], all = 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		in[i] = top_moment_sum(v->now, "cpu", keys[i]);
		all += isnan(in[i]) ? 0 : in[i];
	}
	double percent = all > 0 ? 100 / all : NAN, busy = (all - in[3] - in[4]) * percent;
	page_add(p, isnan(busy) ? -1 : busy / 100,
		 "CPU     %5s %% of %zu   user %s  system %s  waits for I/O %s  ",
		 view_cell(busy).s, top_moment_count(v->now, "cpu"),
		 view_cell((in[0] + in[1]) * percent).s,
		 view_cell((in[2] + in[5] + in[6]) * percent).s,
		 view_cell(in[4] * percent).s);
}

static void put_memory(const struct top_view *v, struct page *p)
{
	double total = top_moment_sum(v->now, "mem", "MemTotal");
	double cache = top_moment_sum(v->now, "mem", "FilePages");
	double slab = top_moment_sum(v->now, "mem", "SReclaimable");
	double used = total - top_moment_sum(v->now, "mem", "MemFree") - cache -
		      (isnan(slab) ? 0 : slab);
	page_add(p, total > 0 && !isnan(used) ? used / total : -1,
		 "Memory  %5s of %s GB used, %s GB are page cache  ", view_cell(used * 1e-9).s,
		 view_cell(total * 1e-9).s, view_cell(cache * 1e-9).s);
}

static void view_put_agent(const struct top_view *v, struct page *p)
{
	const struct top_agent *a = v->agent;
	if (!a->runs) {
		page_add(p, -1, "Agent   does not run, or does not answer");
		return;
	}
	page_add(p, -1, "Agent   %s %% of a CPU, %s MB, every %g s, last sample %s s ago, "
		 "%llu missed", view_cell(a->cpus * 100).s, view_cell(a->rss * 1e-6).s,
		 (double)a->interval_us / 1e6,
		 view_cell(a->last_us ? (double)(v->now->usec - a->last_us) / 1e6 : NAN).s,
		 (unsigned long long)a->missed);
}

static void view_put_titles(const struct top_type *t, struct page *p)
{
	char text[PAGE_COLUMNS + 1], title[NAME_WIDTH + 1];
	int n;
	snprintf(title, sizeof(title), "%s", t->name);
	n = snprintf(text, sizeof(text), "%-*s", NAME_WIDTH, title);
	for (size_t i = 0; i < TOP_KEYS && t->key[i].key; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%*s", CELL_WIDTH,
			      t->key[i].title);
	page_add(p, -1, "%s", "");
	page_add(p, -1, "%s", text);
}

static void view_put_device(const struct top_device *d, struct page *p)
{
	char text[PAGE_COLUMNS + 1];
	int n = snprintf(text, sizeof(text), "%-*.*s", NAME_WIDTH, NAME_WIDTH - 1, d->name);
	for (size_t i = 0; i < TOP_KEYS && d->type->key[i].key; i++) {
		double now = d->now[i] > NO_LIMIT ? NAN : d->now[i];
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%*s", CELL_WIDTH,
			      view_cell(now * d->type->key[i].shown).s);
	}
	page_add(p, -1, "%s", text);
}

static void view_put_type(const struct top_view *v, const struct top_type *t, struct page *p)
{
	const struct top_device **list = xrealloc(NULL, (v->now->n + 1) * sizeof(*list));
	size_t n = top_view_list(v, t, list);
	if (n)
		view_put_titles(t, p);
	for (size_t i = 0; i < n; i++)
		view_put_device(list[i], p);
	free(list);
}

/* Add the jobs that the agent knows but that have no cgroup on this node. */
static void put_other_jobs(const struct top_view *v, struct page *p)
{
	const struct top_type *t = top_type_find("job");
	for (size_t i = 0; i < v->agent->n; i++) {
		const struct top_job *j = &v->agent->job[i];
		if (view_is_wanted(v, j->id) && !top_moment_find(v->now, t, j->id))
			page_add(p, -1, "job " STR_FMT ": without a control group here, for %s s",
				 STR_ARG(j->id),
				 view_cell((double)(v->now->usec - j->since_us) / 1e6).s);
	}
}

static void put_help(struct page *p)
{
	static const char *const text[] = {
		"q, Escape      quit", "h              show or hide this page",
		"s              sort devices and jobs by name, or the busiest first",
		"/              show only names that contain a text; an empty text shows all",
		"arrows, Page   scroll", "",
		"Rates are averages since the previous page; \"-\" means unknown.",
		"Values that only root may read, such as energy, are not shown to others.",
	};
	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		page_add(p, -1, "%s", text[i]);
}

void top_view_make(const struct top_view *v, struct page *p)
{
	page_clear(p);
	page_text(p->title, "nodometer top");
	page_text(p->left, "%s   load %s %s %s, %s of %s threads run", v->host,
		  view_cell(top_moment_sum(v->now, "ps", "load_1")).s,
		  view_cell(top_moment_sum(v->now, "ps", "load_5")).s,
		  view_cell(top_moment_sum(v->now, "ps", "load_15")).s,
		  view_number(top_moment_sum(v->now, "ps", "nr_running")).s,
		  view_number(top_moment_sum(v->now, "ps", "nr_threads")).s);
	page_text(p->right, "%s", cli_moment(v->now->usec).s);
	if (v->filter[0])
		page_text(p->foot, "/%s", v->filter);
	if (v->help) {
		put_help(p);
		return;
	}
	view_put_cpu(v, p);
	put_memory(v, p);
	view_put_agent(v, p);
	for (size_t i = 0; i < n_top_types; i++)
		if (!top_types[i].sums)
			view_put_type(v, &top_types[i], p);
	put_other_jobs(v, p);
}
