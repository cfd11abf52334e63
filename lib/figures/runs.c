/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c - which runs on single nodes are one job, where an id was used more than once */
#include "figures/runs.h"

#include <stdlib.h>
#include <string.h>

#define SECOND 1000000ll
#define DAY    (86400 * SECOND)
#define CLOCKS (15 * 60 * SECOND)	/* clocks of nodes that are set are no further apart */
#define APART  (60 * SECOND)		/* from here on it is said */

/* A job as far as it is put together. */
struct cluster {
	int64_t start, end;
	const struct run *first, *named;	/* .named: the first whose user is known, or NULL */
	size_t n;
	uint64_t nodes;
};

/* Which cluster each run is in. */
struct clusters {
	struct cluster *cluster;
	size_t n;
	size_t *of;
};

static int64_t length(const struct run *run)
{
	return run->node.end - run->node.start;
}

static bool is_like(int64_t a, int64_t b)
{
	int64_t slack = a / 10 > 2 * SECOND ? a / 10 : 2 * SECOND;
	return llabs(a - b) <= slack;
}

static bool is_other_user(const struct run *a, const struct run *b)
{
	return a && a->user[0] && b->user[0] && a->by_uid == b->by_uid &&
	       strcmp(a->user, b->user) != 0;
}

/* Half of the shorter of both: a job that follows on its own end may touch it. */
static bool overlaps(const struct cluster *c, const struct run *run)
{
	int64_t from = run->node.start > c->start ? run->node.start : c->start;
	int64_t to = run->node.end < c->end ? run->node.end : c->end;
	int64_t all = c->end - c->start, shorter = length(run) < all ? length(run) : all;
	return to >= from && 2 * (to - from) >= shorter;
}

static bool has_host(const struct report *r, const struct clusters *all, size_t cluster,
		     const char *host)
{
	for (size_t i = 0; i < r->found.n; i++)
		if (all->of[i] == cluster && strcmp(r->found.run[i].node.name, host) == 0)
			return true;
	return false;
}

/* A short job on nodes whose clocks are apart: as long, on another node, and not one too many. */
static bool is_its_other_node(const struct report *r, const struct clusters *all, size_t cluster,
			      const struct run *run)
{
	const struct cluster *c = &all->cluster[cluster];
	if (run->node.no_begin || run->node.no_end || c->first->node.no_begin ||
	    c->first->node.no_end || (c->nodes && c->n >= c->nodes))
		return false;
	return llabs(run->node.start - c->first->node.start) <= CLOCKS &&
	       is_like(length(c->first), length(run)) &&
	       !has_host(r, all, cluster, run->node.name);
}

/* Without a job it is all one. */
static bool is_of(const struct report *r, const struct clusters *all, size_t cluster,
		  const struct run *run)
{
	const struct cluster *c = &all->cluster[cluster];
	if (!r->job)
		return true;
	if (is_other_user(c->named, run))
		return false;
	if (overlaps(c, run) || is_its_other_node(r, all, cluster, run))
		return true;
	/* without a begin mark: a node of which records are missing */
	return run->node.no_begin && run->node.start - c->end <= DAY;
}

static void add_run(const struct report *r, struct clusters *all, size_t cluster, size_t number)
{
	const struct run *run = &r->found.run[number];
	struct cluster *c = &all->cluster[cluster];
	if (cluster == all->n) {
		*c = (struct cluster){ .start = run->node.start, .end = run->node.end,
				       .first = run };
		all->n++;
	}
	if (run->node.end > c->end)
		c->end = run->node.end;
	if (run->nodes > c->nodes)
		c->nodes = run->nodes;
	if (!c->named && run->user[0])
		c->named = run;
	c->n += !has_host(r, all, cluster, run->node.name);
	all->of[number] = cluster;
}

static int by_start(const void *a, const void *b)
{
	const struct run *x = *(struct run *const *)a, *y = *(struct run *const *)b;
	if (x->node.start != y->node.start)
		return x->node.start < y->node.start ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void put_together(const struct report *r, struct clusters *all)
{
	struct run **order = xrealloc(NULL, r->found.n * sizeof(struct run *));
	for (size_t i = 0; i < r->found.n; i++) {
		order[i] = &r->found.run[i];
		all->of[i] = SIZE_MAX;
	}
	qsort(order, r->found.n, sizeof(struct run *), by_start);
	for (size_t i = 0; i < r->found.n; i++) {
		size_t at = all->n;
		while (at > 0 && !is_of(r, all, at - 1, order[i]))
			at--;
		add_run(r, all, at > 0 ? at - 1 : all->n, (size_t)(order[i] - r->found.run));
	}
	free(order);
}

static bool in_time(const struct report *r, const struct cluster *c)
{
	return c->start <= r->until && c->end >= r->since;
}

/* The newest in the report's time: they are in the order of their start. SIZE_MAX: none is. */
static size_t newest(const struct report *r, const struct clusters *all)
{
	size_t at = all->n;
	while (at > 0 && r->job && !in_time(r, &all->cluster[at - 1]))
		at--;
	return at - 1;
}

static void add_course(struct course *to, const struct course *from)
{
	for (size_t i = 0; i < n_derived; i++)
		if (from->peak[i].at && (!to->peak[i].at || from->peak[i].rate > to->peak[i].rate))
			to->peak[i] = from->peak[i];
	for (int i = 0; i < ENERGY_NONE; i++)
		share_add(&to->share[i], &from->share[i]);
	gpus_add(&to->gpus_used, &from->gpus_used);
	to->cores = from->cores > to->cores ? from->cores : to->cores;
	to->cpus = from->cpus > to->cpus ? from->cpus : to->cpus;
	to->cpus_busy = from->cpus_busy > to->cpus_busy ? from->cpus_busy : to->cpus_busy;
	to->busiest = from->busiest > to->busiest ? from->busiest : to->busiest;
	to->gpus = from->gpus > to->gpus ? from->gpus : to->gpus;
	to->gpus_idle = from->gpus_idle < to->gpus_idle ? from->gpus_idle : to->gpus_idle;
	to->fade_at = 0;	/* the job began again: it faded at no one time */
	to->grows = 0;
}

/* The node ran the job once more: its process of another job step, say. */
static void add_to_node(struct node *to, const struct node *from)
{
	to->end = from->end > to->end ? from->end : to->end;
	to->usec += from->usec;
	to->runs += from->runs;
	to->no_begin += from->no_begin;
	to->no_end += from->no_end;
	to->later_end += from->later_end;
	to->wall_start = from->wall_start < to->wall_start ? from->wall_start : to->wall_start;
	to->wall_end = from->wall_end > to->wall_end ? from->wall_end : to->wall_end;
	to->set_back += from->set_back;
	to->stepped += from->stepped;
	to->boots += from->boots;
	to->released += from->released;
	to->open = from->open;
	to->samples += from->samples;
	to->shared += from->shared;
	to->before += from->before;
	to->gaps += from->gaps;
	to->bad_lines += from->bad_lines;
	to->devices_left_out += from->devices_left_out;
	to->torn += from->torn;
	to->interval = from->interval ? from->interval : to->interval;
	if (from->longest > to->longest) {
		to->longest = from->longest;
		to->longest_at = from->longest_at;
	}
	for (size_t i = 0; i < n_figures; i++)
		value_add(&figures[i], &to->value[i], &from->value[i]);
	add_course(&to->course, &from->course);
	allocation_add(&to->allocation, &from->allocation);
}

/* Runs of one host stand together. */
static void take_run(struct report *r, struct run *run)
{
	struct node *last = r->n ? &r->node[r->n - 1] : NULL;

	if (last && strcmp(last->name, run->node.name) == 0) {
		add_to_node(last, &run->node);
	} else {
		r->node[r->n++] = run->node;
		run->node.name = NULL;
		run->node.value = NULL;
	}
	procs_merge(&r->procs, &run->procs, r->n - 1, 0);
}

static void name_other(struct report *r, const struct cluster *c)
{
	struct other_run *o = &r->other[r->n_others++];
	*o = (struct other_run){ .start = c->start, .end = c->end, .nodes = c->n };
	str_copy(o->user, sizeof(o->user), str_of(c->named ? c->named->user : ""));
}

static void take_cluster(struct report *r, const struct clusters *all, size_t chosen)
{
	const struct cluster *c = &all->cluster[chosen];

	r->node = xrealloc(NULL, r->found.n * sizeof(*r->node));
	r->other = xrealloc(NULL, all->n * sizeof(*r->other));
	for (size_t i = 0; i < all->n; i++)
		if (i != chosen)
			name_other(r, &all->cluster[i]);
	r->start = c->start;
	r->end = c->end;
	r->nodes_asked = c->nodes;
	str_copy(r->user, sizeof(r->user), str_of(c->named ? c->named->user : ""));
	for (size_t i = 0; i < r->found.n; i++)
		if (all->of[i] == chosen)
			take_run(r, &r->found.run[i]);
}

size_t runs_find_jobs(const struct report *r, size_t *of)
{
	struct clusters all = { .of = of };

	all.cluster = xrealloc(NULL, (r->found.n + 1) * sizeof(*all.cluster));
	put_together(r, &all);
	free(all.cluster);
	return all.n;
}

void runs_choose(struct report *r)
{
	struct clusters all = { 0 };

	if (r->found.n == 0)
		return;
	all.cluster = xrealloc(NULL, r->found.n * sizeof(*all.cluster));
	all.of = xrealloc(NULL, r->found.n * sizeof(*all.of));
	put_together(r, &all);
	size_t chosen = newest(r, &all);
	if (chosen != SIZE_MAX)
		take_cluster(r, &all, chosen);
	free(all.cluster);
	free(all.of);
}

/* As long, from mark to mark, and yet at another time. */
static bool is_apart(const struct node *a, const struct node *b)
{
	int64_t late = llabs(a->start - b->start);
	return !a->no_begin && !a->no_end && !b->no_begin && !b->no_end && late >= APART &&
	       is_like(a->usec, b->usec) && is_like(late, llabs(a->end - b->end));
}

int64_t report_clocks_apart(const struct report *r)
{
	int64_t least = 0, most = 0;

	for (size_t i = 1; r->job && i < r->n; i++) {
		int64_t late = r->node[i].start - r->node[0].start;
		if (!is_apart(&r->node[i], &r->node[0]))
			continue;
		least = late < least ? late : least;
		most = late > most ? late : most;
	}
	return most - least;
}

int64_t report_duration(const struct report *r)
{
	int64_t longest = 0;

	if (report_clocks_apart(r) == 0)
		return r->end - r->start;
	for (size_t i = 0; i < r->n; i++)
		if (r->node[i].end - r->node[i].start > longest)
			longest = r->node[i].end - r->node[i].start;
	return longest;
}
