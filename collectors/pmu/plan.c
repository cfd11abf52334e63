/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - which counters a type needs on this node */
#include "collectors/pmu/plan.h"

#include <errno.h>
#include <stdio.h>
#include "base/vec.h"
#include "collectors/pmu/named.h"
#include "collectors/pmu/plan_parts.h"
#include "collectors/pmu/reason.h"
#include "collectors/pmu/sysfs.h"

#define GROUPS_MAX 16384

static int add_slot(struct source *s, struct pmu_group *g, uint32_t type,
		    const struct pmu_event *e, int ctl, int ctr)
{
	if (!pmu_can_count(s, e))
		return 0;
	if (e->abi_type) {
		type = e->abi_type - 1;
	} else if (e->pmu) {
		int r = pmu_read_type(s, e->pmu, &type);
		if (r < 0)
			return r;
	}
	g->slot[g->n++] = (struct pmu_slot){
		.event = e, .type = type, .fd = -1,
		.ctl = (signed char)ctl, .ctr = (signed char)ctr,
	};
	return 0;
}

int plan_make_group(struct source *s, const struct pmu_unit *u, const char *pmu, uint32_t type,
		    struct pmu_group *g)
{
	const struct type_counters *keys = ((const struct type *)s->data)->counters;
	int r = 0;
	*g = (struct pmu_group){ .package = -1, .as_fits = u->as_fits };
	str_copy(g->pmu, sizeof(g->pmu), str_of(pmu ? pmu : "the kernel's events"));
	for (int i = 0; r == 0 && i < PMU_EVENTS; i++)
		r = add_slot(s, g, type, &u->event[i], keys->ctl < 0 ? -1 : keys->ctl + i,
			     keys->ctr + i);
	for (int i = 0; r == 0 && i < PMU_FIXED; i++)
		r = add_slot(s, g, type, &u->fixed[i], -1, keys->fixed + i);
	return r;
}

struct pmu_group *plan_add_group(struct pmu_plan *p, const struct pmu_group *like, unsigned cpu)
{
	p->group = vec_reserve(p->group, &p->cap, p->n + 1, sizeof(*p->group));
	struct pmu_group *g = &p->group[p->n];
	*g = *like;
	g->cpu = (int)cpu;
	if (p->n < GROUPS_MAX)
		p->n++;
	return g;
}

static int add_cpus(struct source *s, struct pmu_plan *p, const struct pmu_unit *u)
{
	struct pmu_group like;
	struct str online;
	char fallback[PMU_RANGE_MAX];
	uint32_t type;
	unsigned cpu, last;
	int r = pmu_read_core_type(s, u->pmu, &type);
	if (r == 0)
		r = plan_make_group(s, u, u->pmu, type, &like);
	if (r == 0)
		r = pmu_read_online(s, fallback, &online);
	while (r == 0 && pmu_take_range(&online, &cpu, &last))
		for (; cpu <= last; cpu++) {
			if (u->turns && cpu % u->turns != u->turn)
				continue;
			struct pmu_group *g = plan_add_group(p, &like, cpu);
			snprintf(g->device, sizeof(g->device), "%u", cpu);
		}
	return r;
}

static void look_at_processor(struct source *s, struct pmu_plan *p)
{
	struct str text;
	p->seen = true;
	if (source_read_shared(s, "proc/cpuinfo", &text) < 0)
		return;
	pmu_take_cpuid(text, &p->id);
	p->threads = pmu_has_threads(s, text);
}

static int add_units(struct source *s, struct pmu_plan *p, const struct pmu_processor *c)
{
	const struct type *t = s->data;
	int r = 0;
	for (size_t i = 0; r == 0 && i < c->n_units; i++) {
		const struct pmu_unit *u = &c->units[i];
		if (strcmp(u->type, t->name) != 0 ||
		    (u->threads != PMU_ALWAYS && p->threads != (u->threads == PMU_HT)))
			continue;
		r = u->scope == PMU_PER_CPU ? add_cpus(s, p, u) : plan_add_boxes(s, p, u);
	}
	return r;
}

static bool has_table(struct pmu_cpuid id)
{
	for (size_t i = 0; i < n_pmu_processors; i++)
		if (pmu_processors[i]->vendor != PMU_ANY && pmu_processor_is(pmu_processors[i], id))
			return true;
	return false;
}

static int explain(struct source *s, const struct pmu_plan *p, const struct pmu_processor *mine)
{
	const struct type *t = s->data;
	if (mine && pmu_processor_has(mine, t->name))
		return source_absent(s, "%s has other counters with%s hyper-threading", mine->name,
				     p->threads ? "" : "out");
	return pmu_not_this_processor(s, p, mine ? mine->name : NULL);
}

static int plan_named(struct source *s, struct pmu_plan *p, const struct type *t)
{
	struct named_type *named = (struct named_type *)t;
	int r = named_look(s, named);
	if (r < 0)
		return r;
	return named->unit.scope == PMU_PER_CPU ? add_cpus(s, p, &named->unit)
						: plan_add_boxes(s, p, &named->unit);
}

int pmu_make_plan(struct source *s, struct pmu_plan *p)
{
	const struct pmu_processor *mine = NULL;
	const struct type *t = s->data;
	size_t before = p->n;
	int r = 0;

	if (t->counters->named)
		return plan_named(s, p, t);
	if (!p->seen)
		look_at_processor(s, p);
	bool known = has_table(p->id);
	for (size_t i = 0; r == 0 && i < n_pmu_processors; i++) {
		const struct pmu_processor *c = pmu_processors[i];
		if (c->vendor == PMU_OTHERS ? known : !pmu_processor_is(c, p->id))
			continue;
		if (c->vendor != PMU_ANY && c->vendor != PMU_OTHERS)
			mine = c;
		r = add_units(s, p, c);
	}
	return r < 0 || p->n > before ? r : explain(s, p, mine);
}
