/* SPDX-License-Identifier: BSD-3-Clause */
/* suspects.c - find nodes that were slow in more runs than chance explains */
#include "report/jobs/suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

static struct suspect_node *node_of(struct suspects *s, const char *name)
{
	uint64_t hash = map_hash(str_of(name));

	for (struct map_slot *at = NULL; (at = map_next(&s->by_name, hash, at)); )
		if (strcmp(s->node[at->value.n].name, name) == 0)
			return &s->node[at->value.n];
	s->node = vec_reserve(s->node, &s->cap, s->n + 1, sizeof(*s->node));
	s->node[s->n] = (struct suspect_node){ .name = xstrdup(str_of(name)) };
	map_add(&s->by_name, hash, (union map_value){ .n = s->n });
	return &s->node[s->n++];
}

static void suspects_add_time(struct suspect_times *t, const struct suspect_time *time)
{
	size_t cap = t->cap;
	t->time = vec_reserve(t->time, &cap, t->n + 1, sizeof(*t->time));
	t->cap = (uint32_t)cap;
	t->time[t->n++] = *time;
}

static void suspects_add_node(struct suspects *s, const struct run_node *n,
			      const struct suspect_time *run)
{
	struct suspect_node *to = NULL;

	for (size_t m = 0; m < SLOW_MEASURES; m++) {
		struct suspect_time time = *run;
		time.by = n->slow.by[m];
		if (isnan(time.by))
			continue;
		to = to ? to : node_of(s, n->name);
		to->of[m].compared++;
		s->compared[m]++;
		if (n->slow.slow & 1u << m) {
			suspects_add_time(&to->of[m], &time);
			s->slow[m]++;
		}
	}
	s->runs += to != NULL;
}

void suspects_add(struct suspects *s, const struct run_row *row, int64_t first, int64_t last)
{
	struct str at = row->nodes;
	struct run_node n;

	for (uint64_t place = 0; run_row_next_node(&at, &n); place++) {
		uint64_t is[] = { str_hash(str_of(row->program)), row->n_nodes, place };
		const struct suspect_time run = {
			.first = first, .last = last,
			.place = str_hash((struct str){ (const char *)is, sizeof(is) }),
		};
		suspects_add_node(s, &n, &run);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct suspect_time *x = a, *y = b;
	return (x->place > y->place) - (x->place < y->place);
}

static int by_amount(const void *a, const void *b)
{
	const struct suspect_time *x = a, *y = b;
	return (x->by > y->by) - (x->by < y->by);
}

/*
 * Count the slow runs that are independent of each other. If the measure depends on the amount of
 * work, count all runs of a program on equally many nodes, with this node in the same position, as
 * one: this position may always get more work.
 */
static uint32_t independent(struct suspect_times *t, const struct slow_measure *m)
{
	uint32_t n = 0;

	if (!m->of_work)
		return t->n;
	qsort(t->time, t->n, sizeof(*t->time), by_place);
	for (uint32_t i = 0; i < t->n; i++)
		n += i == 0 || t->time[i].place != t->time[i - 1].place;
	return n;
}

/* Compute the probability of at least k successes in n trials, each with probability p. */
static double suspects_chance_of(uint32_t k, uint32_t n, double p)
{
	double sum = 0;

	for (uint32_t i = k; i <= n; i++) {
		double one = exp(lgamma(n + 1.) - lgamma(i + 1.) - lgamma(n - i + 1.) +
				 i * log(p) + (n - i) * log1p(-p));
		sum += one;
		if (i > n * p && one < 1e-9 * sum)
			break;
	}
	return fmin(sum, 1);
}

static double rate_of_others(const struct suspects *s, const struct suspect_times *t, size_t m)
{
	uint64_t compared = s->compared[m] - t->compared;
	double rate = compared ? (double)(s->slow[m] - t->n) / (double)compared : 0;
	return fmin(fmax(rate, SUSPECT_RATE), .999);
}

static struct suspect suspect_of(const char *node, size_t measure, struct suspect_times *t)
{
	struct suspect one = {
		.node = node, .measure = measure, .slow = t->n, .compared = t->compared,
		.since = t->time[0].first, .until = t->time[0].last,
	};

	for (uint32_t i = 1; i < t->n; i++) {
		one.since = t->time[i].first < one.since ? t->time[i].first : one.since;
		one.until = t->time[i].last > one.until ? t->time[i].last : one.until;
	}
	qsort(t->time, t->n, sizeof(*t->time), by_amount);
	one.by = ((double)t->time[t->n / 2].by + (double)t->time[(t->n - 1) / 2].by) / 2;
	return one;
}

static int by_chance(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;
	if (x->chance != y->chance)
		return x->chance < y->chance ? -1 : 1;
	int r = strcmp(x->node, y->node);
	return r ? r : (x->measure > y->measure) - (x->measure < y->measure);
}

size_t suspects_find(const struct suspects *s, struct suspect **ret)
{
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < s->n * SLOW_MEASURES; i++) {
		struct suspect_node *node = &s->node[i / SLOW_MEASURES];
		size_t m = i % SLOW_MEASURES;
		struct suspect_times *t = &node->of[m];
		uint32_t times = t->n >= 2 ? independent(t, &slow_measures[m]) : 0;
		double chance = times < 2 ? 1 :
				suspects_chance_of(times, t->compared, rate_of_others(s, t, m));
		if (chance >= SUSPECT_CHANCE)
			continue;
		*ret = vec_reserve(*ret, &cap, n + 1, sizeof(**ret));
		(*ret)[n] = suspect_of(node->name, m, t);
		(*ret)[n++].chance = chance;
	}
	if (n)
		qsort(*ret, n, sizeof(**ret), by_chance);
	return n;
}

void suspects_free(struct suspects *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t m = 0; m < SLOW_MEASURES; m++)
			free(s->node[i].of[m].time);
		free(s->node[i].name);
	}
	free(s->node);
	map_free(&s->by_name);
}
