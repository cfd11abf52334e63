/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rapl_power.c - read the energy counters of the kernel's perf PMU "power"
 *
 * The PMU exists since Linux 3.14, for AMD since 5.8. It needs CAP_PERFMON or perf_event_paranoid
 * below 1, but not root, unlike powercap's energy_uj (CVE-2020-8694). The kernel extends the
 * hardware's 32-bit counters to 64 bits (arch/x86/events/rapl.c).
 */
#include "collectors/rapl/rapl_power.h"

#include <stdio.h>
#include <stdlib.h>
#include "collectors/pmu/perf.h"
#include "collectors/pmu/reason.h"
#include "collectors/pmu/sysfs.h"

#define PMU "power"
#define PACKAGES_MAX 128
#define UNIT  "Joules"
/* unit of the counters that the kernel must show: 2^-32 J, on all processors */
#define SCALE "2.3283064365386962890625e-10"

/* The events in the order of a group's counters. Their names are those of libpfm4's PMU rapl. */
static const struct domain {
	/* .alias: file in the PMU's events/ that exists if this node has the event */
	struct pmu_event event;
	const char *zone;	/* name of the zone in powercap */
} domains[] = {
	{ { "RAPL_ENERGY_PKG",   .config = 2, .alias = "energy-pkg"   }, "package" },
	{ { "RAPL_ENERGY_CORES", .config = 1, .alias = "energy-cores" }, "core"    },
	{ { "RAPL_ENERGY_DRAM",  .config = 3, .alias = "energy-ram"   }, "dram"    },
	{ { "RAPL_ENERGY_GPU",   .config = 4, .alias = "energy-gpu"   }, "uncore"  },
	{ { "RAPL_ENERGY_PSYS",  .config = 5, .alias = "energy-psys"  }, "psys"    },
};

const char *power_zone(const struct pmu_slot *slot)
{
	for (size_t i = 0; i < ARRAY_SIZE(domains); i++)
		if (slot->event == &domains[i].event)
			return domains[i].zone;
	return "";
}

static bool power_file_is(struct source *s, const char *alias, const char *suffix,
			  const char *expected)
{
	char leaf[64];
	struct str text;
	snprintf(leaf, sizeof(leaf), "events/%s%s", alias, suffix);
	return source_read_in(s, PMU_SOURCES, PMU, leaf, &text) == 0 &&
	       str_eq(str_trim(text), str_of(expected));
}

/*
 * Returns true if the kernel lists the event with the expected code and unit. Values in another
 * unit would be converted wrongly.
 */
static bool power_event_is_listed(struct source *s, const struct pmu_event *e)
{
	char code[32];
	snprintf(code, sizeof(code), "event=0x%02llx", (unsigned long long)e->config);
	return power_file_is(s, e->alias, "", code) && power_file_is(s, e->alias, ".unit", UNIT) &&
	       power_file_is(s, e->alias, ".scale", SCALE);
}

static int power_make_group(struct source *s, struct pmu_group *g)
{
	uint32_t type;
	int r = pmu_read_type(s, PMU, &type);
	if (r < 0)
		return source_absent(s, "no zone intel-rapl:N in /sys/class/powercap, and no perf "
				     "PMU " PMU " (a virtual machine?)");
	*g = (struct pmu_group){ .pmu = PMU };
	for (size_t i = 0; i < ARRAY_SIZE(domains); i++)
		if (power_event_is_listed(s, &domains[i].event))
			g->slot[g->n++] = (struct pmu_slot){
				.event = &domains[i].event, .type = type, .fd = -1,
				.ctl = -1, .ctr = -1,
			};
	return g->n ? 0 : source_absent(s, "perf PMU " PMU " has no event energy-* in 2^-32 J");
}

static unsigned read_die(struct source *s, unsigned cpu)
{
	char name[32];
	struct str text;
	uint64_t v;
	snprintf(name, sizeof(name), "cpu%u", cpu);
	return source_read_in(s, "sys/devices/system/cpu", name, "topology/die_id", &text) == 0 &&
	       str_take_u64(&text, &v) && v <= UINT16_MAX ? (unsigned)v : 0;
}

static struct power_package *power_find(struct power *p, unsigned package, unsigned die,
					bool any_die)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->package[i].package == package && (any_die || p->package[i].die == die))
			return &p->package[i];
	return NULL;
}

static void add_package(struct source *s, struct power *p, const struct pmu_group *like,
			const struct topology_cpu *reader, bool amd)
{
	unsigned cpu = reader->number, die = read_die(s, cpu);
	unsigned package = (unsigned)reader->package;
	if (p->n == PACKAGES_MAX)
		return;
	struct power_package *other = power_find(p, package, die, true);
	if (other && (amd || power_find(p, package, die, false)))
		return;
	if (other)
		other->has_die = true;
	p->package = xrealloc(p->package, (p->n + 1) * sizeof(*p->package));
	struct power_package *new = &p->package[p->n++];
	*new = (struct power_package){ .package = package, .die = die, .has_die = other,
				       .group = *like };
	new->group.cpu = (int)cpu;
	snprintf(new->group.device, sizeof(new->group.device), "%u", package);
}

static int find_packages(struct source *s, struct power *p, bool amd)
{
	const struct topology *t;
	struct pmu_group like;
	char mask[256];
	unsigned cpu, last;
	int r = power_make_group(s, &like);
	if (r < 0)
		return r;
	if (!pmu_read_cpumask(s, PMU, mask, sizeof(mask)))
		return source_absent(s, "perf PMU " PMU " has no cpumask");
	r = source_topology(s, &t);
	if (r < 0)
		return r;
	for (struct str text = str_of(mask); pmu_take_range(&text, &cpu, &last); )
		for (; cpu <= last && p->n < PACKAGES_MAX; cpu++) {
			const struct topology_cpu *reader = topology_find(t, cpu);
			if (reader && reader->package >= 0)
				add_package(s, p, &like, reader, amd);
		}
	return p->n ? 0 : source_absent(s, "no package of the CPUs in cpumask of perf PMU " PMU);
}

/*
 * Move the open counters of packages from `old` to `now`. If a counter's CPU goes offline, the
 * kernel moves the counter to another CPU of the package.
 */
static void power_keep_open(struct power *old, struct power *now)
{
	for (size_t i = 0; i < now->n; i++) {
		struct power_package *a = &now->package[i];
		struct power_package *b = power_find(old, a->package, a->die, false);
		if (!b || !b->group.open || b->group.n != a->group.n)
			continue;
		a->group = b->group;
		b->group.n = 0;		/* the descriptors moved to `now` */
	}
	power_end(old);
	*old = *now;
}

int power_look(struct source *s, struct power *p, bool amd)
{
	struct power now = { .n = 0 };
	int r = find_packages(s, &now, amd);
	power_keep_open(p, &now);
	if (r == 0 && s->files.in_root)
		return source_absent(s, PMU_CAPTURED);
	for (size_t i = 0; r == 0 && i < p->n; i++) {
		struct pmu_group *g = &p->package[i].group;
		r = g->open ? 0 : pmu_open_group(g);
		if (r < 0)
			r = pmu_refused(s, g, p->n * g->n, r);
	}
	if (r < 0)
		power_end(p);
	return r;
}

void power_read(struct power *p)
{
	/*
	 * what read(2) returns: number of values, time enabled, time running, values
	 * (perf_event_open(2))
	 */
	uint64_t v[3 + PMU_GROUP];
	p->reopened = false;
	for (size_t i = 0; i < p->n; i++) {
		struct power_package *k = &p->package[i];
		struct pmu_group *g = &k->group;
		p->reopened |= g->reopened;
		g->reopened = false;
		k->read = g->open && perf_read(g->slot[0].fd, v, 3 + g->n) == (int)(3 + g->n) &&
			  v[0] == g->n;
		if (!k->read)
			pmu_close_group(g);	/* the next rescan opens the group again */
		for (unsigned slot = 0; k->read && slot < g->n; slot++)
			k->uj[slot] = power_uj(v[3 + slot]);
	}
}

void power_end(struct power *p)
{
	for (size_t i = 0; i < p->n; i++)
		pmu_close_group(&p->package[i].group);
	free(p->package);
	*p = (struct power){ .n = 0 };
}
