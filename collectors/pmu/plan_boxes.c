/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_boxes.c - which counters a type needs of the boxes of each package */
#include "collectors/pmu/plan_parts.h"

#include <stdio.h>
#include <string.h>
#include "collectors/pmu/sysfs.h"

/* "uncore_ha" is the only box of its kind, "uncore_imc_3" one of several. */
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
	struct pmu_group *g = plan_add_group(p, like, reader->number);
	g->package = reader->package;
	const char *part = u->part ? u->part : "";
	if (u->scope == PMU_PER_BOX)
		snprintf(g->device, sizeof(g->device), "%d/%u%s", g->package, box, part);
	else
		snprintf(g->device, sizeof(g->device), "%d%s",
			 u->scope == PMU_BY_CPU ? g->cpu : g->package, part);
}

static bool is_read(const struct pmu_plan *p, size_t first, int package)
{
	while (first < p->n && p->group[first].package != package)
		first++;
	return first < p->n;
}

/*
 * The PMU's cpumask names one CPU of each package, on which its counters are opened. For one that
 * is off-line, or where there is no cpumask, another CPU reads a package that has no reader yet.
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
		if (t->cpu[i].package >= 0 && !is_read(p, first, t->cpu[i].package)) {
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
		r = plan_make_group(s, u, pmu, type, &like);
	if (r == 0)
		r = source_topology(s, &t);
	if (r == 0)
		add_readers(s, p, &like, u, t, box);
	return r;
}

int plan_add_boxes(struct source *s, struct pmu_plan *p, const struct pmu_unit *u)
{
	unsigned box;
	bool seen = false;
	size_t before = p->n;
	int n = source_devices(s, PMU_SOURCES, u->pmu);
	for (int i = 0; i < n; i++) {
		/* of the sample's list of devices, which reading files leaves alone */
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
	return seen ? source_absent(s, "no CPU is known to read perf PMU %s", u->pmu)
		    : pmu_no_source(s, u->pmu);
}
