/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - open the counters of a plan, and read each group with one call */
#include <errno.h>
#include <stdlib.h>
#include "collectors/pmu/named.h"
#include "collectors/pmu/perf.h"
#include "collectors/pmu/plan.h"
#include "collectors/pmu/reason.h"

struct pmu_state {
	struct pmu_plan plan;
	bool shared;	/* some group shares its counters with another program */
};

static void close_all(struct pmu_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		pmu_close_group(&p->group[i]);
}

static void end_state(void *state)
{
	struct pmu_state *p = state;
	close_all(&p->plan);
	free(p->plan.group);
}

static size_t count_all(const struct pmu_plan *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		n += p->group[i].n;
	return n;
}

/* Open all groups or none, because all rows must have the same keys. */
static int open_all(struct source *s, struct pmu_plan *p)
{
	size_t n_open = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct pmu_group *g = &p->group[i];
		int r = g->open ? 0 : pmu_open_group(g);
		if (r == -ENODEV || r == -ENXIO)
			/* the group's CPU has gone offline */
			continue;
		if (r < 0) {
			r = pmu_refused(s, g, count_all(p), r);
			close_all(p);
			return r;
		}
		n_open++;
	}
	return n_open || !p->n ? 0 : pmu_refused(s, &p->group[0], count_all(p), -ENODEV);
}

static bool pmu_groups_are_same(const struct pmu_group *a, const struct pmu_group *b)
{
	if (a->cpu != b->cpu || a->n != b->n || strcmp(a->device, b->device) != 0)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->slot[i].event != b->slot[i].event || a->slot[i].type != b->slot[i].type)
			return false;
	return true;
}

/*
 * Keep the groups open that are also in the new plan, and close the others. A group whose CPU went
 * offline is closed already; it is opened again with the new plan.
 */
static void pmu_keep_open(struct pmu_plan *old, struct pmu_plan *now)
{
	for (size_t i = 0, hint = 0; i < now->n; i++)
		for (size_t k = 0; k < old->n; k++) {
			struct pmu_group *g = &old->group[(hint + k) % old->n];
			if (!g->open || !pmu_groups_are_same(g, &now->group[i]))
				continue;
			now->group[i] = *g;
			g->n = 0;	/* the new plan's group has the descriptors now */
			hint += k + 1;
			break;
		}
	close_all(old);
}

static int pmu_make_type_plan(struct source *s, struct pmu_plan *p)
{
	const struct type *t = s->data;
	if (!t->counters->named)
		return pmu_make_plan(s, p);
	struct named_type *named = (struct named_type *)t;
	int r = named_look(s, named);
	return r < 0 ? r : pmu_plan_unit(s, p, &named->unit);
}

static int pmu_replan(struct source *s, struct pmu_state *p)
{
	struct pmu_plan now = {
		.seen = p->plan.seen, .threads = p->plan.threads, .id = p->plan.id,
	};
	int r = pmu_make_type_plan(s, &now);
	if (r < 0) {
		close_all(&now);
		now.n = 0;
	}
	pmu_keep_open(&p->plan, &now);
	free(p->plan.group);
	p->plan = now;
	if (r == 0 && s->files.in_root)
		return source_absent(s, PMU_CAPTURED);
	return r < 0 ? r : open_all(s, &p->plan);
}

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits && bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

static void pmu_add_row(struct source *s, struct pmu_group *g, const uint64_t *value)
{
	struct row row = rows_add(&s->rows, str_of(g->device));
	if (g->reopened)
		rows_reopened(&s->rows);
	g->reopened = false;
	for (unsigned i = 0; i < g->n; i++) {
		const struct pmu_slot *slot = &g->slot[i];
		size_t key = (size_t)slot->ctr;
		if (slot->fd < 0)
			continue;
		row_set(row, key, low_bits(*value++, s->rows.metrics[key].bits));
		if (slot->ctl >= 0)
			row_set(row, (size_t)slot->ctl, slot->event->ctl);
	}
	/*
	 * store the times, but do not mark them as present: pmu_add_time_keys() does so if needed
	 */
	size_t times = s->rows.n_metrics - PMU_TIME_KEYS;
	row.value[times] = g->enabled;
	row.value[times + 1] = g->running;
}

/*
 * Read a group and add its row. If the group has not run since the last sample, add no row:
 * unchanged values would look like a count of 0.
 */
static void read_group(struct source *s, struct pmu_state *p, struct pmu_group *g)
{
	/*
	 * what read(2) returns: number of values, time enabled, time running, values
	 * (perf_event_open(2))
	 */
	uint64_t v[3 + PMU_GROUP];
	int got = perf_read(g->slot[0].fd, v, 3 + g->n_open);
	if (got != (int)(3 + g->n_open) || v[0] != g->n_open) {
		pmu_close_group(g);		/* the next rescan opens the group again */
		return;
	}
	bool ran = v[2] > g->running, stood = v[1] <= g->enabled;
	g->enabled = v[1];
	g->running = v[2];
	s->bytes += sizeof(*v) * (3 + g->n_open);
	if (stood)
		pmu_close_group(g);
	if (!ran)
		return;
	p->shared |= g->running < g->enabled;
	pmu_add_row(s, g, v + 3);
}

/*
 * Add the keys of enabled and running times to all rows, because all rows must have the same keys.
 */
static void pmu_add_time_keys(struct source *s)
{
	size_t times = s->rows.n_metrics - PMU_TIME_KEYS, words = rows_words(&s->rows);
	for (size_t i = 0; i < s->rows.n; i++)
		for (size_t key = times; key < s->rows.n_metrics; key++)
			s->rows.present[i * words + key / 64] |= (uint64_t)1 << key % 64;
}

int pmu_collect(struct source *s)
{
	struct pmu_state *p = source_state(s, sizeof(*p));
	s->end_state = end_state;
	int r = s->rescan ? pmu_replan(s, p) : 0;
	if (r < 0)
		return r;

	for (size_t i = 0; i < p->plan.n; i++)
		if (p->plan.group[i].open)
			read_group(s, p, &p->plan.group[i]);
	if (s->rows.n == 0)
		return pmu_never_ran(s, &p->plan);
	if (p->shared)
		pmu_add_time_keys(s);
	return 0;
}

bool pmu_planned(const struct source *s, size_t i, struct pmu_counter *ret)
{
	const struct pmu_state *p = s->state;
	for (size_t k = 0; p && k < p->plan.n; k++) {
		const struct pmu_group *g = &p->plan.group[k];
		if (i >= g->n) {
			i -= g->n;
			continue;
		}
		const struct pmu_slot *slot = &g->slot[i];
		*ret = (struct pmu_counter){
			.device = g->device, .key = s->rows.metrics[slot->ctr].name,
			.pmu = slot->event->pmu ? slot->event->pmu : g->pmu, .type = slot->type,
			.config = slot->event->config, .config1 = slot->event->config1,
			.cpu = g->cpu,
		};
		return true;
	}
	return false;
}

const struct collector *named_collector(struct named_type *t)
{
	t->collector = (struct collector){
		.type = &t->type, .data = &t->type, .collect = pmu_collect,
		.planned = pmu_planned, .holds = HOLDS_HARDWARE,
	};
	return &t->collector;
}
