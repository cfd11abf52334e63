/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - list the groups of counters of a type on this node */
#include "collectors/pmu/plan.h"

#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "base/vec.h"
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

/*
 * Make the group of events of a PMU, which is then copied for each device. Returns 0, or -ENOENT
 * with the reason in s->why.
 */
static int pmu_make_group(struct source *s, const struct pmu_unit *u, const char *pmu,
			  uint32_t type,
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

static struct pmu_group *add_group(struct pmu_plan *p, const struct pmu_group *like, unsigned cpu)
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
	char name[NAME_SIZE];
	const char *pmu = u->pmu;
	uint32_t type;
	unsigned cpu, last;
	if (pmu && str_ends(str_of(pmu), STR("_")) && pmu_first(s, pmu, name, sizeof(name)))
		pmu = name;
	int r = pmu_read_core_type(s, pmu, &type);
	if (r == 0)
		r = pmu_make_group(s, u, pmu, type, &like);
	if (r == 0)
		r = pmu_read_online(s, fallback, &online);
	while (r == 0 && pmu_take_range(&online, &cpu, &last))
		for (; cpu <= last; cpu++) {
			if (u->turns && cpu % u->turns != u->turn)
				continue;
			struct pmu_group *g = add_group(p, &like, cpu);
			snprintf(g->device, sizeof(g->device), "%u", cpu);
		}
	return r;
}

/* Parse the number of a box: 3 for "uncore_imc_3", 0 for "uncore_ha". */
static bool take_box(const char *pmu, const char *prefix, unsigned *box)
{
	struct str rest = str_of(pmu + strlen(prefix));
	const char *number = strrchr(pmu, '_');
	uint64_t v = 0;
	if (rest.n && (!str_take_prefix(&rest, STR("_")) || !str_is_u64(rest)))
		return false;
	if (number && str_is_u64(str_of(number + 1)))
		rest = str_of(number + 1);
	if (rest.n && !str_take_u64(&rest, &v))
		return false;
	*box = (unsigned)v;
	return v <= UINT16_MAX;
}

static void add_reader(struct pmu_plan *p, const struct pmu_group *like, const struct pmu_unit *u,
		       const struct topology_cpu *reader, unsigned box)
{
	struct pmu_group *g = add_group(p, like, reader->number);
	g->package = reader->package;
	const char *part = u->part ? u->part : "";
	if (u->scope == PMU_PER_BOX)
		snprintf(g->device, sizeof(g->device), "%d/%u%s", g->package, box, part);
	else
		snprintf(g->device, sizeof(g->device), "%d%s",
			 u->scope == PMU_BY_CPU ? g->cpu : g->package, part);
}

static bool pmu_package_is_read(const struct pmu_plan *p, size_t first, int package)
{
	while (first < p->n && p->group[first].package != package)
		first++;
	return first < p->n;
}

/*
 * Add a group of a box for each package. The PMU's cpumask names one CPU per package on which the
 * counters must be opened. If that CPU is offline, or if there is no cpumask, use any other CPU of
 * the package.
 */
static void add_readers(struct source *s, struct pmu_plan *p, const struct pmu_group *like,
			const struct pmu_unit *u, const struct topology *t, unsigned box)
{
	char mask[256];
	unsigned cpu, last;
	size_t first = p->n, wanted = 0;
	struct str list = STR("");
	if (pmu_read_cpumask(s, like->pmu, mask, sizeof(mask)))
		list = str_of(mask);
	else
		wanted = t->packages;
	while (pmu_take_range(&list, &cpu, &last))
		for (; cpu <= last; cpu++) {
			const struct topology_cpu *c = topology_find(t, cpu);
			if (c && c->package >= 0)
				add_reader(p, like, u, c, box);
			else
				wanted++;
		}
	for (size_t i = 0; wanted && i < t->n; i++)
		if (t->cpu[i].package >= 0 && !pmu_package_is_read(p, first, t->cpu[i].package)) {
			add_reader(p, like, u, &t->cpu[i], box);
			wanted--;
		}
}

static int add_box(struct source *s, struct pmu_plan *p, const struct pmu_unit *u, const char *pmu,
		   unsigned box)
{
	const struct topology *t;
	struct pmu_group like;
	uint32_t type;
	int r = pmu_read_type(s, pmu, &type);
	if (r == 0)
		r = pmu_make_group(s, u, pmu, type, &like);
	if (r == 0)
		r = source_topology(s, &t);
	if (r == 0)
		add_readers(s, p, &like, u, t, box);
	return r;
}

/* Add a group for each box of a unit in each package. */
static int add_boxes(struct source *s, struct pmu_plan *p, const struct pmu_unit *u)
{
	unsigned box;
	bool seen = false;
	size_t before = p->n;
	int n = source_devices(s, PMU_SOURCES, u->pmu);
	for (int i = 0; i < n; i++) {
		/*
		 * valid until the list of devices changes: reading files does not overwrite the
		 * name
		 */
		const char *pmu = source_device_name(s, (size_t)i);
		if (!take_box(pmu, u->pmu, &box))
			continue;
		int r = add_box(s, p, u, pmu, box);
		if (r < 0)
			return r;
		seen = true;
	}
	if (p->n > before)
		return 0;
	return seen ? source_absent(s, "the CPU that reads perf PMU %s is unknown", u->pmu)
		    : pmu_no_source(s, u->pmu);
}

int pmu_plan_unit(struct source *s, struct pmu_plan *p, const struct pmu_unit *u)
{
	return u->scope == PMU_PER_CPU ? add_cpus(s, p, u) : add_boxes(s, p, u);
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
		r = pmu_plan_unit(s, p, u);
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

static int pmu_explain_absent(struct source *s, const struct pmu_plan *p,
			      const struct pmu_processor *mine)
{
	const struct type *t = s->data;
	if (mine && pmu_processor_has(mine, t->name))
		return source_absent(s, "%s has other counters with%s hyper-threading", mine->name,
				     p->threads ? "" : "out");
	return pmu_not_this_processor(s, p, mine ? mine->name : NULL);
}

int pmu_make_plan(struct source *s, struct pmu_plan *p)
{
	const struct pmu_processor *mine = NULL;
	size_t before = p->n;
	int r = 0;

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
	return r < 0 || p->n > before ? r : pmu_explain_absent(s, p, mine);
}
