/* SPDX-License-Identifier: BSD-3-Clause */
/* node_batch.c - search one node's records for many jobs in a single pass */
#include "report/read/node_batch.h"

#include <stdlib.h>
#include "base/buf.h"
#include "base/vec.h"

/*
 * State of a job on the node. It decides which records the job's search gets. JOB_PRESENT: all
 * records. JOB_MAY_RETURN: the newest record does not list the job, but its run may continue; the
 * search gets records of boots, clock steps and reopened counters. JOB_ABSENT: the job has no open
 * run; the search gets no records.
 */
enum place { JOB_ABSENT, JOB_PRESENT, JOB_MAY_RETURN, PLACES };

/* State of one job on a node. */
struct member {
	size_t job;
	struct node_search *search;
	struct runs runs;
	enum place place;
	size_t at;		/* index in list[.place] */
};

struct list {
	struct member **member;
	size_t n, cap;
};

struct node_batch {
	struct node_batch_jobs *all;
	char *name;
	struct node_clock clock;
	struct map by_job;
	struct list list[PLACES];
};

void node_batch_jobs_enter(struct node_batch_jobs *all, size_t job)
{
	const char *id = all->job[job].ask.job;
	if (id)
		map_add(&all->by_id, map_hash(str_of(id)), (union map_value){ .n = job });
}

void node_batch_jobs_end(struct node_batch_jobs *all)
{
	map_free(&all->by_id);
	free(all->over);
	free(all->job);
}

struct node_batch *node_batch_new(struct node_batch_jobs *all, const char *name)
{
	struct node_batch *b = xrealloc(NULL, sizeof(*b));
	*b = (struct node_batch){ .all = all, .name = xstrdup(str_of(name)) };
	return b;
}

const char *node_batch_name(const struct node_batch *b)
{
	return b->name;
}

static void node_batch_put(struct node_batch *b, struct member *m, enum place place)
{
	struct list *l = &b->list[place];
	l->member = vec_reserve(l->member, &l->cap, l->n + 1, sizeof(struct member *));
	m->place = place;
	m->at = l->n;
	l->member[l->n++] = m;
}

static void take_out(struct node_batch *b, struct member *m)
{
	struct list *l = &b->list[m->place];
	struct member *last = l->member[--l->n];
	l->member[m->at] = last;
	last->at = m->at;
}

static void move(struct node_batch *b, struct member *m, enum place place)
{
	if (m->place == place)
		return;
	take_out(b, m);
	node_batch_put(b, m, place);
}

static struct map_slot *find_slot(const struct node_batch *b, size_t job)
{
	struct map_slot *at = NULL;
	while ((at = map_next(&b->by_job, job, at)))
		if (((struct member *)at->value.p)->job == job)
			return at;
	return NULL;
}

static struct member *open_member(struct node_batch *b, size_t job)
{
	struct node_batch_jobs *all = b->all;
	struct node_batch_job *j = &all->job[job];
	/* do not refuse a job that is open on another node: each pass must complete some jobs */
	if (j->searches == 0 && all->most_open && all->open >= all->most_open)
		j->refused = true;
	if (j->refused)
		return NULL;
	struct member *m = xrealloc(NULL, sizeof(*m));
	*m = (struct member){ .job = job };
	m->search = node_search_new(&j->ask, b->name, &m->runs);
	map_add(&b->by_job, job, (union map_value){ .p = m });
	all->open += j->searches++ == 0;
	node_batch_put(b, m, JOB_ABSENT);
	return m;
}

static void name_job(struct node_batch *b, size_t job)
{
	struct map_slot *at = find_slot(b, job);
	struct member *m = at ? at->value.p : open_member(b, job);
	if (m)
		move(b, m, JOB_PRESENT);
}

/*
 * Handle a record that lists this job id or has it in a mark. A record may name an id more than
 * once, and several jobs may have the same id.
 */
static void name_id(struct node_batch *b, struct str id, bool attributes)
{
	uint64_t hash = map_hash(id);
	for (struct map_slot *at = NULL; (at = map_next(&b->all->by_id, hash, at)); ) {
		struct node_batch_job *j = &b->all->job[at->value.n];
		if (!str_eq(id, str_of(j->ask.job)))
			continue;
		if (j->newest != b->all->records && j->due != UINT64_MAX)
			j->due -= j->due > 0;
		j->newest = b->all->records;
		if (!attributes)
			name_job(b, at->value.n);
	}
}

static void name_jobs(struct node_batch *b, const struct record *r)
{
	b->all->records++;
	for (size_t i = 0; i < r->n_jobs; i++)
		name_id(b, r->job[i], false);
	for (size_t i = 0; i < r->n_marks; i++) {
		enum mark_kind kind = r->mark[i].kind;
		if (kind == MARK_BEGIN || kind == MARK_END || kind == MARK_ATTRIBUTES)
			name_id(b, r->mark[i].subject, kind == MARK_ATTRIBUTES);
	}
	if (b->all->n == 1 && !b->all->job[0].ask.job)
		name_job(b, 0);
}

static bool has_counters_mark(const struct record *r)
{
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == MARK_RELEASE || r->mark[i].kind == MARK_RESTART)
			return true;
	return false;
}

static void note_over(struct node_batch_jobs *all, size_t job)
{
	const struct node_batch_job *j = &all->job[job];
	if (j->due > 0 || j->more)
		return;
	all->over = vec_reserve(all->over, &all->cap_over, all->n_over + 1, sizeof(*all->over));
	all->over[all->n_over++] = job;
}

/*
 * Pass the record to the searches of all jobs on the node. Loop backwards: if a job leaves the
 * list, the last job of the list, which has already received the record, takes its place.
 */
static void take_here(struct node_batch *b, const struct record *r,
		      const struct node_moment *moment)
{
	struct list *here = &b->list[JOB_PRESENT];
	for (size_t i = here->n; i-- > 0; ) {
		struct member *m = here->member[i];
		node_search_take(m->search, r, moment);
		if (node_search_is_here(m->search))
			continue;
		move(b, m, node_search_is_away(m->search) ? JOB_ABSENT : JOB_MAY_RETURN);
		note_over(b->all, m->job);
	}
}

/*
 * Pass a record to the searches of jobs, as described at enum place.
 */
void node_batch_take(struct node_batch *b, const struct record *r,
		     const struct record_source *source)
{
	const struct node_moment moment = node_clock_take(&b->clock, r, source);
	struct list *left = &b->list[JOB_MAY_RETURN];

	name_jobs(b, r);
	if (moment.booted || moment.step || has_counters_mark(r))
		for (size_t i = 0; i < left->n; i++)
			node_search_take(left->member[i]->search, r, &moment);
	take_here(b, r, &moment);
}

void node_batch_begin_file(struct node_batch *b)
{
	for (int p = 0; p < PLACES; p++)
		for (size_t i = 0; i < b->list[p].n; i++)
			node_search_begin_file(b->list[p].member[i]->search);
}

bool node_batch_end_file(struct node_batch *b, uint64_t bad_lines, bool torn)
{
	bool any = false;
	for (int p = 0; p < PLACES; p++)
		for (size_t i = 0; i < b->list[p].n; i++)
			any |= node_search_end_file(b->list[p].member[i]->search, bad_lines, torn);
	return any;
}

bool node_batch_is_away(const struct node_batch *b)
{
	return b->list[JOB_PRESENT].n == 0 && b->list[JOB_MAY_RETURN].n == 0;
}

const struct runs *node_batch_runs(const struct node_batch *b, size_t job)
{
	const struct map_slot *at = find_slot(b, job);
	return at ? &((const struct member *)at->value.p)->runs : NULL;
}

void node_batch_finish(struct node_batch *b, size_t job, struct runs *runs)
{
	struct map_slot *at = find_slot(b, job);
	if (!at)
		return;
	struct member *m = at->value.p;
	node_search_end(m->search);
	runs_join(runs, &m->runs);
	take_out(b, m);
	map_remove(&b->by_job, at);
	b->all->open -= --b->all->job[job].searches == 0;
	free(m);
}

void node_batch_free(struct node_batch *b)
{
	for (int p = 0; p < PLACES; p++)
		free(b->list[p].member);
	node_clock_end(&b->clock);
	map_free(&b->by_job);
	free(b->name);
	free(b);
}
