/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c - group the runs found on single nodes into jobs, if a job id was used more than once */
#include "figures/runs.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_US 1000000ll
#define DAY_US    (86400 * SECOND_US)
/* a run without an end mark may have continued after its last sample for at most this long */
#define OPEN_MAX_US (7 * DAY_US)
/* clocks of nodes are assumed to differ by at most this */
#define CLOCKS_MAX_US (15 * 60 * SECOND_US)
/* smaller differences between clocks are not reported */
#define CLOCKS_APART_US  (60 * SECOND_US)

/* A job ("cluster"): a group of runs. */
struct cluster {
	int64_t start, end;
	int64_t latest;		/* latest possible end of the job, if a run has no end mark */
	bool ended;		/* some run has an end mark */
	/* the first run; the first run whose user is known, or NULL */
	const struct run *first, *named;
	size_t n;
	uint64_t nodes;
};

/* All jobs that were found; .of[i] is the index in .cluster of the job of run i. */
struct clusters {
	struct cluster *cluster;
	size_t n;
	size_t *of;
};

static int64_t runs_length_of(const struct run *run)
{
	return run->node.end - run->node.start;
}

/*
 * Return the latest possible end of a run. A run without an end mark may have continued until the
 * first record that does not list the job.
 */
static int64_t runs_latest_end(const struct run *run)
{
	const struct node *n = &run->node;
	int64_t most = n->end < INT64_MAX - OPEN_MAX_US ? n->end + OPEN_MAX_US : INT64_MAX;

	if (!n->no_end)
		return n->end;
	if (n->absent_from && n->absent_from < most)
		most = n->absent_from;
	return most > n->end ? most : n->end;
}

static bool runs_are_similar(int64_t a, int64_t b)
{
	int64_t slack = a / 10 > 2 * SECOND_US ? a / 10 : 2 * SECOND_US;
	return llabs(a - b) <= slack;
}

static bool runs_has_other_user(const struct run *a, const struct run *b)
{
	return a && a->owner.user[0] && b->owner.user[0] && a->owner.by_uid == b->owner.by_uid &&
	       strcmp(a->owner.user, b->owner.user) != 0;
}

/*
 * Whether a run and a job overlap by at least half of the shorter one. A smaller overlap may be the
 * next job with the same id, which follows directly.
 */
static bool runs_overlaps(const struct cluster *c, const struct run *run)
{
	int64_t from = run->node.start > c->start ? run->node.start : c->start;
	int64_t to = run->node.end < c->end ? run->node.end : c->end;
	int64_t all = c->end - c->start, length = runs_length_of(run);
	int64_t shorter = length < all ? length : all;

	return to >= from && 2 * (to - from) >= shorter;
}

static bool runs_has_host(const struct report *r, const struct clusters *all, size_t cluster,
			  const char *host)
{
	for (size_t i = 0; i < r->found.n; i++)
		if (all->of[i] == cluster && strcmp(r->found.run[i].node.name, host) == 0)
			return true;
	return false;
}

/*
 * Whether a run is on a missing node of a job without end marks: the run is in the time in which
 * this job may have continued after its last sample. The run may have a single sample: it has just
 * begun on that node, or failed there at once.
 */
static bool runs_is_node_of_open_job(const struct report *r, const struct clusters *all,
				     size_t cluster, const struct run *run)
{
	const struct cluster *c = &all->cluster[cluster];
	int64_t start = run->node.start, end = runs_latest_end(run);
	int64_t length = end - start, open = c->latest - c->start;
	int64_t to = end < c->latest ? end : c->latest;

	if (c->ended || (c->nodes && c->n >= c->nodes) ||
	    (run->nodes && (c->n >= run->nodes || (c->nodes && c->nodes != run->nodes))) ||
	    runs_has_host(r, all, cluster, run->node.name))
		return false;
	return to >= start && 2 * (to - start) >= (length < open ? length : open);
}

/*
 * Whether a run is on a missing node of a short job, but has other times, because the clocks of the
 * nodes differ. The run must be as long as the job.
 */
static bool runs_is_node_with_other_clock(const struct report *r, const struct clusters *all,
					  size_t cluster,
					  const struct run *run)
{
	const struct cluster *c = &all->cluster[cluster];
	if (run->node.no_begin || run->node.no_end || c->first->node.no_begin ||
	    c->first->node.no_end || (c->nodes && c->n >= c->nodes))
		return false;
	return llabs(run->node.start - c->first->node.start) <= CLOCKS_MAX_US &&
	       runs_are_similar(runs_length_of(c->first), runs_length_of(run)) &&
	       !runs_has_host(r, all, cluster, run->node.name);
}

/* Whether a run belongs to a job. If the query has no job id, all runs belong together. */
static bool runs_belongs_to(const struct report *r, const struct clusters *all, size_t cluster,
			    const struct run *run)
{
	const struct cluster *c = &all->cluster[cluster];
	if (!r->job)
		return true;
	if (runs_has_other_user(c->named, run))
		return false;
	if (runs_overlaps(c, run) || runs_is_node_of_open_job(r, all, cluster, run) ||
	    runs_is_node_with_other_clock(r, all, cluster, run))
		return true;
	/* without a begin mark, the run may continue the job on a node that lost records */
	return run->node.no_begin && run->node.start - c->end <= DAY_US;
}

static void runs_add_to_cluster(const struct report *r, struct clusters *all, size_t cluster,
				size_t number)
{
	const struct run *run = &r->found.run[number];
	struct cluster *c = &all->cluster[cluster];
	if (cluster == all->n) {
		*c = (struct cluster){ .start = run->node.start, .end = run->node.end,
				       .latest = run->node.end, .first = run };
		all->n++;
	}
	if (run->node.end > c->end)
		c->end = run->node.end;
	if (runs_latest_end(run) > c->latest)
		c->latest = runs_latest_end(run);
	c->ended |= !run->node.no_end;
	if (run->nodes > c->nodes)
		c->nodes = run->nodes;
	if (!c->named && run->owner.user[0])
		c->named = run;
	c->n += !runs_has_host(r, all, cluster, run->node.name);
	all->of[number] = cluster;
}

static int runs_compare_start(const void *a, const void *b)
{
	const struct run *x = *(struct run *const *)a, *y = *(struct run *const *)b;
	if (x->node.start != y->node.start)
		return x->node.start < y->node.start ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void runs_build_clusters(const struct report *r, struct clusters *all)
{
	struct run **order = xrealloc(NULL, r->found.n * sizeof(struct run *));
	for (size_t i = 0; i < r->found.n; i++) {
		order[i] = &r->found.run[i];
		all->of[i] = SIZE_MAX;
	}
	qsort(order, r->found.n, sizeof(struct run *), runs_compare_start);
	for (size_t i = 0; i < r->found.n; i++) {
		size_t at = all->n;
		while (at > 0 && !runs_belongs_to(r, all, at - 1, order[i]))
			at--;
		runs_add_to_cluster(r, all, at > 0 ? at - 1 : all->n,
				    (size_t)(order[i] - r->found.run));
	}
	free(order);
}

static bool runs_is_in_time(const struct report *r, const struct cluster *c)
{
	return c->start <= r->until && c->end >= r->since;
}

/*
 * Return the index of the newest job between .since and .until of the report, or SIZE_MAX if there
 * is none. The jobs must be sorted by start.
 */
static size_t runs_newest_cluster(const struct report *r, const struct clusters *all)
{
	size_t at = all->n;
	while (at > 0 && r->job && !runs_is_in_time(r, &all->cluster[at - 1]))
		at--;
	return at - 1;
}

static void runs_add_course(struct course *to, const struct course *from)
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
	to->cpus_used = from->cpus_used > to->cpus_used ? from->cpus_used : to->cpus_used;
	to->widest = from->widest > to->widest ? from->widest : to->widest;
	to->busiest = from->busiest > to->busiest ? from->busiest : to->busiest;
	/* means over different intervals cannot be combined */
	to->top_share = to->others_share = to->one_cpu = 0;
	to->gpus = from->gpus > to->gpus ? from->gpus : to->gpus;
	to->gpus_idle = from->gpus_idle < to->gpus_idle ? from->gpus_idle : to->gpus_idle;
	/* with several runs, there is no single time since which the CPU use is lower */
	to->fade_at = 0;
	to->grows = 0;
	demand_add(&to->demand, &from->demand);
	bound_add(&to->bound, &from->bound);
	held_add(&to->held, &from->held);
}

/* Add another run of the job on the same node, for example another job step. */
static void runs_add_to_node(struct node *to, const struct node *from)
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
	runs_add_course(&to->course, &from->course);
	allocation_add(&to->allocation, &from->allocation);
}

/* Add a run to .node of the report. Runs on the same host must be passed one after the other. */
static void runs_take_run(struct report *r, struct run *run)
{
	struct node *last = r->n ? &r->node[r->n - 1] : NULL;

	if (last && strcmp(last->name, run->node.name) == 0) {
		runs_add_to_node(last, &run->node);
	} else {
		r->node[r->n++] = run->node;
		run->node.name = NULL;
		run->node.value = NULL;
	}
	procs_merge(&r->procs, &run->procs, r->n - 1, 0);
}

static void runs_add_other(struct report *r, const struct cluster *c)
{
	struct other_run *o = &r->other[r->n_others++];
	*o = (struct other_run){ .start = c->start, .end = c->end, .nodes = c->n };
	str_copy(o->user, sizeof(o->user), str_of(c->named ? c->named->owner.user : ""));
}

static void runs_take_cluster(struct report *r, const struct clusters *all, size_t chosen)
{
	const struct cluster *c = &all->cluster[chosen];

	r->node = xrealloc(NULL, r->found.n * sizeof(*r->node));
	r->other = xrealloc(NULL, all->n * sizeof(*r->other));
	for (size_t i = 0; i < all->n; i++)
		if (i != chosen)
			runs_add_other(r, &all->cluster[i]);
	r->start = c->start;
	r->end = c->end;
	r->nodes_allocated = c->nodes;
	str_copy(r->user, sizeof(r->user), str_of(c->named ? c->named->owner.user : ""));
	for (size_t i = 0; i < r->found.n; i++)
		if (all->of[i] == chosen)
			runs_take_run(r, &r->found.run[i]);
}

size_t runs_find_jobs(const struct report *r, size_t *of)
{
	struct clusters all = { .of = of };

	all.cluster = xrealloc(NULL, (r->found.n + 1) * sizeof(*all.cluster));
	runs_build_clusters(r, &all);
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
	runs_build_clusters(r, &all);
	size_t chosen = runs_newest_cluster(r, &all);
	if (chosen != SIZE_MAX)
		runs_take_cluster(r, &all, chosen);
	free(all.cluster);
	free(all.of);
}

/*
 * Whether the clocks of two nodes differ: the job's runs on them are equally long from begin mark
 * to end mark, but have different times.
 */
static bool runs_clocks_differ(const struct node *a, const struct node *b)
{
	int64_t late = llabs(a->start - b->start);
	return !a->no_begin && !a->no_end && !b->no_begin && !b->no_end &&
	       late >= CLOCKS_APART_US &&
	       runs_are_similar(a->usec, b->usec) && runs_are_similar(late, llabs(a->end - b->end));
}

int64_t report_clocks_apart(const struct report *r)
{
	int64_t least = 0, most = 0;

	for (size_t i = 1; r->job && i < r->n; i++) {
		int64_t late = r->node[i].start - r->node[0].start;
		if (!runs_clocks_differ(&r->node[i], &r->node[0]))
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
