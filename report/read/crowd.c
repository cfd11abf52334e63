/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.c - a "crowd": the search of one node's records for many jobs in a single pass */
#include "report/read/crowd.h"

#include <stdlib.h>
#include "base/buf.h"
#include "base/vec.h"

/*
 * State of a job on the node. HERE: the search of the job gets each record. LEFT: the newest record
 * does not list the job, but the run may continue; the search only gets records of boots, clock
 * steps and reopened counters. APART: the job has no open run; its search gets no records.
 */
enum place { APART, HERE, LEFT, PLACES };

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

struct crowd {
	struct crowd_jobs *all;
	char *name;
	struct node_clock clock;
	struct map by_job;
	struct list list[PLACES];
};

void crowd_jobs_enter(struct crowd_jobs *all, size_t job)
{
	const char *id = all->job[job].ask.job;
	if (id)
		map_add(&all->by_id, map_hash(str_of(id)), (union map_value){ .n = job });
}

void crowd_jobs_end(struct crowd_jobs *all)
{
	map_free(&all->by_id);
	free(all->over);
	free(all->job);
}

struct crowd *crowd_new(struct crowd_jobs *all, const char *name)
{
	struct crowd *c = xrealloc(NULL, sizeof(*c));
	*c = (struct crowd){ .all = all, .name = xstrdup(str_of(name)) };
	return c;
}

const char *crowd_name(const struct crowd *c)
{
	return c->name;
}

static void crowd_put(struct crowd *c, struct member *m, enum place place)
{
	struct list *l = &c->list[place];
	l->member = vec_reserve(l->member, &l->cap, l->n + 1, sizeof(struct member *));
	m->place = place;
	m->at = l->n;
	l->member[l->n++] = m;
}

static void take_out(struct crowd *c, struct member *m)
{
	struct list *l = &c->list[m->place];
	struct member *last = l->member[--l->n];
	l->member[m->at] = last;
	last->at = m->at;
}

static void move(struct crowd *c, struct member *m, enum place place)
{
	if (m->place == place)
		return;
	take_out(c, m);
	crowd_put(c, m, place);
}

static struct map_slot *find_slot(const struct crowd *c, size_t job)
{
	struct map_slot *at = NULL;
	while ((at = map_next(&c->by_job, job, at)))
		if (((struct member *)at->value.p)->job == job)
			return at;
	return NULL;
}

static struct member *open_member(struct crowd *c, size_t job)
{
	struct crowd_jobs *all = c->all;
	struct crowd_job *j = &all->job[job];
	/* do not refuse a job that is open on another node: each pass must complete some jobs */
	if (j->searches == 0 && all->most_open && all->open >= all->most_open)
		j->refused = true;
	if (j->refused)
		return NULL;
	struct member *m = xrealloc(NULL, sizeof(*m));
	*m = (struct member){ .job = job };
	m->search = node_search_new(&j->ask, c->name, &m->runs);
	map_add(&c->by_job, job, (union map_value){ .p = m });
	all->open += j->searches++ == 0;
	crowd_put(c, m, APART);
	return m;
}

static void name_job(struct crowd *c, size_t job)
{
	struct map_slot *at = find_slot(c, job);
	struct member *m = at ? at->value.p : open_member(c, job);
	if (m)
		move(c, m, HERE);
}

/*
 * Handle a record that lists this job id or has it in a mark. A record may name an id more than
 * once, and several jobs may have the same id.
 */
static void name_id(struct crowd *c, struct str id, bool attributes)
{
	uint64_t hash = map_hash(id);
	for (struct map_slot *at = NULL; (at = map_next(&c->all->by_id, hash, at)); ) {
		struct crowd_job *j = &c->all->job[at->value.n];
		if (!str_eq(id, str_of(j->ask.job)))
			continue;
		if (j->newest != c->all->records && j->due != UINT64_MAX)
			j->due -= j->due > 0;
		j->newest = c->all->records;
		if (!attributes)
			name_job(c, at->value.n);
	}
}

static void name_jobs(struct crowd *c, const struct record *r)
{
	c->all->records++;
	for (size_t i = 0; i < r->n_jobs; i++)
		name_id(c, r->job[i], false);
	for (size_t i = 0; i < r->n_marks; i++) {
		enum mark_kind kind = r->mark[i].kind;
		if (kind == MARK_BEGIN || kind == MARK_END || kind == MARK_ATTRIBUTES)
			name_id(c, r->mark[i].subject, kind == MARK_ATTRIBUTES);
	}
	if (c->all->n == 1 && !c->all->job[0].ask.job)
		name_job(c, 0);
}

static bool has_counters_mark(const struct record *r)
{
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == MARK_RELEASE || r->mark[i].kind == MARK_RESTART)
			return true;
	return false;
}

static void note_over(struct crowd_jobs *all, size_t job)
{
	const struct crowd_job *j = &all->job[job];
	if (j->due > 0 || j->more)
		return;
	all->over = vec_reserve(all->over, &all->cap_over, all->n_over + 1, sizeof(*all->over));
	all->over[all->n_over++] = job;
}

/*
 * Pass the record to the searches of all jobs on the node. Loop backwards: if a job leaves the
 * list, the last job of the list, which has already received the record, takes its place.
 */
static void take_here(struct crowd *c, const struct record *r, const struct node_moment *moment)
{
	struct list *here = &c->list[HERE];
	for (size_t i = here->n; i-- > 0; ) {
		struct member *m = here->member[i];
		node_search_take(m->search, r, moment);
		if (node_search_is_here(m->search))
			continue;
		move(c, m, node_search_is_away(m->search) ? APART : LEFT);
		note_over(c->all, m->job);
	}
}

/*
 * Pass a record to the searches. A job that has ended or is no longer listed gets only records of
 * boots, clock steps and reopened counters, until a record lists the job again.
 */
void crowd_take(struct crowd *c, const struct record *r, const struct record_source *source)
{
	const struct node_moment moment = node_clock_take(&c->clock, r, source);
	struct list *left = &c->list[LEFT];

	name_jobs(c, r);
	if (moment.booted || moment.step || has_counters_mark(r))
		for (size_t i = 0; i < left->n; i++)
			node_search_take(left->member[i]->search, r, &moment);
	take_here(c, r, &moment);
}

void crowd_begin_file(struct crowd *c)
{
	for (int p = 0; p < PLACES; p++)
		for (size_t i = 0; i < c->list[p].n; i++)
			node_search_begin_file(c->list[p].member[i]->search);
}

bool crowd_end_file(struct crowd *c, uint64_t bad_lines, bool torn)
{
	bool any = false;
	for (int p = 0; p < PLACES; p++)
		for (size_t i = 0; i < c->list[p].n; i++)
			any |= node_search_end_file(c->list[p].member[i]->search, bad_lines, torn);
	return any;
}

bool crowd_is_away(const struct crowd *c)
{
	return c->list[HERE].n == 0 && c->list[LEFT].n == 0;
}

const struct runs *crowd_runs(const struct crowd *c, size_t job)
{
	const struct map_slot *at = find_slot(c, job);
	return at ? &((const struct member *)at->value.p)->runs : NULL;
}

void crowd_finish(struct crowd *c, size_t job, struct runs *runs)
{
	struct map_slot *at = find_slot(c, job);
	if (!at)
		return;
	struct member *m = at->value.p;
	node_search_end(m->search);
	runs_join(runs, &m->runs);
	take_out(c, m);
	map_remove(&c->by_job, at);
	c->all->open -= --c->all->job[job].searches == 0;
	free(m);
}

void crowd_free(struct crowd *c)
{
	for (int p = 0; p < PLACES; p++)
		free(c->list[p].member);
	node_clock_end(&c->clock);
	map_free(&c->by_job);
	free(c->name);
	free(c);
}
