/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.c - sum the use of runs per user, account, partition, node or other group */
#include "report/jobs/groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/vec.h"

#define HOUR 3.6e9	/* microseconds per hour */

const char *const group_names[GROUP_BYS] = {
	[GROUP_USER] = "user", [GROUP_ACCOUNT] = "account", [GROUP_PARTITION] = "partition",
	[GROUP_NAME] = "name", [GROUP_NODE] = "node", [GROUP_PROGRAM] = "program",
};

static struct group *group_of(struct groups *g, const struct jobs_table *t, const char *name)
{
	uint64_t hash = map_hash(str_of(name));

	for (struct map_slot *at = NULL; (at = map_next(&g->by_name, hash, at)); )
		if (strcmp(g->group[at->value.n].name, name) == 0)
			return &g->group[at->value.n];
	map_add(&g->by_name, hash, (union map_value){ .n = g->n });
	g->group = vec_reserve(g->group, &g->cap, g->n + 1, sizeof(*g->group));
	struct group *one = &g->group[g->n++];
	size_t bytes = t->n_figures * sizeof(*one->value);
	*one = (struct group){ .name = xstrdup(str_of(name)) };
	one->value = memset(xrealloc(NULL, bytes), 0, bytes);
	return one;
}

static void add_unused(struct group *one, double unused, double hours)
{
	if (unused < 0)
		return;
	one->unused += unused;
	one->unused_of += hours;
}

static void add_use(double *is, double *of, const struct used *u, double hours)
{
	*is += u->of > 0 ? u->n * hours : 0;
	*of += u->of > 0 ? u->of * hours : 0;
}

static void groups_add_value(struct group_value *to, size_t figure, const struct run_value *v,
			     double weight)
{
	const struct figure *f = figure < n_figures ? &figures[figure] : NULL;

	if (f && (f->how == FIGURE_COUNTED || f->how == FIGURE_ADDED)) {
		to->n += v->n;
		to->weight = 1;
	} else if (f && (f->how == FIGURE_PEAK || f->how == FIGURE_LIMIT)) {
		to->n = to->weight > 0 && to->n > v->n ? to->n : v->n;
		to->weight = 1;
	} else {
		to->n += v->n * weight;
		to->weight += weight;
	}
	if (v->bound != BOUND_NONE)
		to->bound = to->bound == BOUND_NONE || to->bound == v->bound ? v->bound :
			    BOUND_UNKNOWN;
}

/*
 * Count a run and its findings in a group. If "whole" is set, all nodes of the run belong to this
 * group, so also add the run's figures. The caller adds hours and energy.
 */
static void groups_add_run(struct group *one, const struct jobs_table *t,
			   const struct listed_job *j,
			   bool whole)
{
	struct run_value v;

	one->runs++;
	one->unread += !j->is->used.known;
	for (size_t i = 0; i < j->is->used.n_findings; i++)
		one->found[j->is->used.finding[i]]++;
	for (size_t i = 0; whole && i < t->n_figures; i++)
		if (run_row_value(j->is, t->figure[i], &v))
			groups_add_value(&one->value[i], t->figure[i], &v, j->is->node_hours);
}

static void add_energy(struct group *one, const struct jobs_table *t, const struct listed_job *j,
		       double joules)
{
	one->joules += joules;
	if (joules > 0 && factors_are_set(t->factors)) {
		struct bill c = factors_cost(t->factors, joules, j->first, j->last);
		cost_add(&one->cost, &c);
	}
}

static void add_nodes(struct groups *g, const struct jobs_table *t, const struct listed_job *j)
{
	struct str at = j->is->nodes;
	struct run_node n;

	while (run_row_next_node(&at, &n)) {
		struct group *one = group_of(g, t, n.name);
		groups_add_run(one, t, j, j->is->n_nodes == 1);
		one->node_hours += n.hours;
		add_use(&one->cpus, &one->cpus_of, &n.cpus, n.hours);
		add_use(&one->gpus, &one->gpus_of, &n.gpus, n.hours);
		add_unused(one, n.unused, n.hours);
		add_energy(one, t, j, n.joules);
	}
}

static const char *name_of(enum group_by by, const struct listed_job *j, const struct sacct_job *a)
{
	switch (by) {
	case GROUP_USER:      return j->user ? j->user : "";
	case GROUP_ACCOUNT:   return jobs_known(j->account, a ? a->allocation.account : NULL);
	case GROUP_PARTITION: return jobs_known(j->partition, a ? a->allocation.partition : NULL);
	case GROUP_NAME:      return jobs_known(j->name, a ? a->allocation.name : NULL);
	default:              return j->is->program;
	}
}

void groups_add(struct groups *g, const struct jobs_table *t, const struct listed_job *j,
		const struct sacct_job *a)
{
	double hours = (double)(j->last - j->first) / HOUR;

	if (g->by == GROUP_NODE) {
		add_nodes(g, t, j);
		return;
	}
	struct group *one = group_of(g, t, name_of(g->by, j, a));
	groups_add_run(one, t, j, true);
	one->node_hours += j->is->node_hours;
	add_use(&one->cpus, &one->cpus_of, &j->is->used.used[USED_CPU], hours);
	add_use(&one->gpus, &one->gpus_of, &j->is->used.used[USED_GPU], hours);
	add_unused(one, j->is->used.unused, j->is->node_hours);
	add_energy(one, t, j, j->is->used.energy.share.joules);
}

static bool value_at(const void *group, size_t i, struct run_value *ret)
{
	const struct group_value *v = &((const struct group *)group)->value[i];

	*ret = (struct run_value){ v->weight > 0 ? v->n / v->weight : -INFINITY, v->bound };
	return v->weight > 0 && v->bound != BOUND_UNKNOWN;
}

static int groups_by_order(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	if (x->order != y->order)
		return x->order < y->order ? 1 : -1;
	return strcmp(x->name, y->name);
}

void groups_sort(struct groups *g, enum group_order order, size_t figure)
{
	for (size_t i = 0; i < g->n; i++) {
		struct group *one = &g->group[i];
		struct run_value v = { 0 };
		if (order == ORDER_FIGURE)
			value_at(one, figure, &v);
		one->order = order == ORDER_UNUSED ? (one->unused_of > 0 ? one->unused : -1) :
			     order == ORDER_HOURS ? one->node_hours : v.n;
	}
	if (g->n)
		qsort(g->group, g->n, sizeof(*g->group), groups_by_order);
}

static size_t most_found(const struct group *one)
{
	size_t most = 0;
	for (size_t i = 1; i < n_finding_rules; i++)
		most = one->found[i] > one->found[most] ? i : most;
	return most;
}

static struct text groups_number(bool known, double v, int decimals)
{
	struct text t = { "-" };
	if (known)
		snprintf(t.s, sizeof(t.s), "%.*f", decimals, v);
	return t;
}

/* Format the unused hours, with ">=" if the unused hours of some runs are unknown. */
static struct text groups_unused(const struct group *one)
{
	struct text t = groups_number(one->unused_of > 0, one->unused, 1), more;
	if (one->unused_of <= 0 || one->unused_of >= one->node_hours * (1 - 1e-9))
		return t;
	snprintf(more.s, sizeof(more.s), ">=%.40s", t.s);
	return more;
}

static double groups_percent(double is, double of)
{
	return of > 0 ? 100 * is / of : 0;
}

static struct text percent_text(double is, double of)
{
	struct text t = { "-" };
	if (of > 0)
		snprintf(t.s, sizeof(t.s), "%.0f%%", groups_percent(is, of));
	return t;
}

void groups_put_row(void *arg, void (*put)(void *arg, size_t column, const char *text),
		    const struct jobs_table *t, const struct group *one)
{
	struct buf found CLEANUP(buf_free) = { 0 };
	size_t most = most_found(one);

	if (one->found[most])
		buf_addf(&found, "%s %zu", finding_rules[most].name, one->found[most]);
	buf_add_char(&found, '\0');
	put(arg, 0, one->name[0] ? one->name : "-");
	put(arg, 1, groups_number(true, (double)one->runs, 0).s);
	put(arg, 2, groups_number(true, one->node_hours, 1).s);
	put(arg, 3, groups_unused(one).s);
	put(arg, 4, percent_text(one->cpus, one->cpus_of).s);
	put(arg, 5, percent_text(one->gpus, one->gpus_of).s);
	put(arg, 6, groups_number(one->joules > 0, one->joules / 3.6e6, 1).s);
	put(arg, 7, found.p);
	for (size_t i = 0; i < t->n_figures; i++) {
		struct run_value v;
		bool is = value_at(one, i, &v);
		put(arg, GROUP_COLUMNS + i, is ? run_value_text(t->figure[i], &v).s : "-");
	}
}

const struct group_column group_columns[GROUP_COLUMNS] = {
	{ "",           -16 },
	{ "RUNS",       6   },
	{ "NODE-HOURS", 10  },
	{ "UNUSED",     9   },
	{ "CPUS",       4   },
	{ "GPUS",       4   },
	{ "kWh",        7   },
	{ "FOUND MOST", 0   },
};

static void groups_put_cell(void *arg, size_t column, const char *text)
{
	struct buf *b = arg;
	if (column >= GROUP_COLUMNS)
		return;		/* groups_put_text() prints figures on lines of their own */
	int width = group_columns[column].width;
	size_t at = b->n, columns = utf8_columns(str_of(text));

	if (width == 0)
		buf_addf(b, "%s%s", text[0] ? "  " : "", text);
	else if (column == 0)
		buf_addf(b, "%s%*s", text, columns < 16 ? 16 - (int)columns : 0, "");
	else
		buf_addf(b, " %*s", width, text);
	utf8_make_printable(b->p + at, b->n - at);
	if (column == 0 && columns > 16)
		buf_addf(b, "\n%16s", "");
}

static void groups_put_text(struct buf *b, const struct jobs_table *t, const struct group *one)
{
	struct run_value v;

	groups_put_row(b, groups_put_cell, t, one);
	buf_add_char(b, '\n');
	if (one->cost.kwh > 0) {
		buf_addf(b, "    ");
		cost_put_text(b, t->factors, &one->cost, "");
		buf_add_char(b, '\n');
	}
	for (size_t i = 0; i < t->n_figures; i++)
		if (value_at(one, i, &v))
			buf_addf(b, "    %s %s\n", run_figure_name(t->figure[i]).s,
				 run_value_text(t->figure[i], &v).s);
}

static void put_use_json(struct buf *b, const char *name, double is, double of)
{
	if (of <= 0)
		return;
	json_open(b, name, '{');
	json_double(b, "used", is);
	json_double(b, "of", of);
	json_double(b, "percent", groups_percent(is, of));
	json_close(b, '}');
}

static void groups_put_json(struct buf *b, const struct jobs_table *t, const struct groups *g,
			    const struct group *one)
{
	json_open(b, NULL, '{');
	json_str(b, "by", str_of(group_names[g->by]));
	if (one->name[0])
		json_str(b, "name", str_of(one->name));
	json_u64(b, "runs", one->runs);
	json_u64(b, "runs_without_samples", one->unread);
	json_double(b, "node_hours", one->node_hours);
	put_use_json(b, "cpu_hours", one->cpus, one->cpus_of);
	put_use_json(b, "gpu_hours", one->gpus, one->gpus_of);
	if (one->unused_of > 0) {
		json_double(b, "unused_node_hours", one->unused);
		json_double(b, "unused_known_of", one->unused_of);
	}
	if (one->joules > 0)
		json_double(b, "joules", one->joules);
	if (one->cost.kwh > 0)
		cost_put_json(b, &one->cost);
	json_open(b, "findings", '{');
	for (size_t i = 0; i < n_finding_rules; i++)
		if (one->found[i])
			json_u64(b, finding_rules[i].name, one->found[i]);
	json_close(b, '}');
	if (t->n_figures)
		jobs_put_figures_json(b, t, one, value_at);
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}

static void groups_put_csv(struct buf *b, const struct jobs_table *t, const struct group *one)
{
	struct run_value v;

	(t->exact ? csv_str : csv_cell)(b, str_of(one->name));
	csv_int(b, (int64_t)one->runs);
	csv_int(b, (int64_t)one->unread);
	jobs_csv_number(b, true, one->node_hours);
	jobs_csv_number(b, one->cpus_of > 0, one->cpus);
	jobs_csv_number(b, one->cpus_of > 0, one->cpus_of);
	jobs_csv_number(b, one->gpus_of > 0, one->gpus);
	jobs_csv_number(b, one->gpus_of > 0, one->gpus_of);
	jobs_csv_number(b, one->unused_of > 0, one->unused);
	jobs_csv_number(b, one->unused_of > 0, one->unused_of);
	jobs_csv_number(b, one->joules > 0, one->joules);
	jobs_put_cost_csv(b, t, one->cost.kwh > 0 ? &one->cost : NULL);
	for (size_t i = 0; i < n_finding_rules; i++)
		csv_int(b, (int64_t)one->found[i]);
	for (size_t i = 0; i < t->n_figures; i++) {
		bool known = value_at(one, i, &v);
		jobs_csv_number(b, known, known ? v.n : 0);
	}
	csv_end(b);
}

void groups_put_head(struct buf *b, const struct jobs_table *t, const struct groups *g)
{
	if (t->form == JOBS_TEXT) {
		char by[16] = "";
		for (size_t i = 0; group_names[g->by][i]; i++)
			by[i] = (char)(group_names[g->by][i] - 'a' + 'A');
		for (size_t i = 0; i < GROUP_COLUMNS; i++)
			groups_put_cell(b, i, i ? group_columns[i].title : by);
		buf_add_char(b, '\n');
	}
	if (t->form != JOBS_CSV)
		return;
	buf_addf(b, "%s,runs,runs_without_samples,node_hours,cpu_hours,cpu_hours_of,gpu_hours,"
		 "gpu_hours_of,unused_node_hours,unused_known_of,joules%s", group_names[g->by],
		 factors_are_set(t->factors) ? COST_COLUMNS : "");
	for (size_t i = 0; i < n_finding_rules; i++)
		buf_addf(b, ",%s", finding_rules[i].name);
	jobs_put_figure_names(b, t);
	buf_add_char(b, '\n');
}

void groups_put(struct buf *b, const struct jobs_table *t, const struct groups *g,
		const struct group *one)
{
	if (t->form == JOBS_TEXT)
		groups_put_text(b, t, one);
	else if (t->form == JOBS_CSV)
		groups_put_csv(b, t, one);
	else
		groups_put_json(b, t, g, one);
}

void groups_free(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free((char *)g->group[i].name);
		free(g->group[i].value);
	}
	free(g->group);
	map_free(&g->by_name);
}
