/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rapl - energy that packages, cores and memory took
 *
 * From /sys/class/powercap where it may be read, else from the perf PMU "power": see rapl_zones.h.
 * Each of the three types has something that the others lack:
 *
 * rapl has one device per zone, as the kernel shows it: its counter, and where that starts again
 * at 0, which is no power of two (max_energy_range_uj), so that no W= could describe it. Platform
 * and other zones that belong to no package are only here.
 *
 * intel_rapl and amd64_rapl have one device per package, as in hpcperfstats, and its newest keys,
 * in millijoules: what it wrote before as MSR_PKG_ENERGY_STATUS is the register, in a unit that
 * differs from processor to processor and is not recorded. They have 64 bits, no W=32: they go on
 * where powercap's counter starts again, as long as a sample is taken in every round of it: 262 kJ
 * are 15 minutes at 280 W, the 65 kJ of AMD 4 minutes. Fewer samples miss whole rounds, and nothing
 * shows it; the PMU misses none. A new process starts from powercap's reading, or from 0 with the
 * PMU: a reset, if the counter was round before.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "collectors/rapl/rapl_zones.h"

/* Keeps the reason why the energy of a zone could not be read: it is 0400 since Linux 5.10. */
static int nothing_read(struct source *s)
{
	return s->why[0] ? -ENOENT : source_absent(s, "no zone with a number in energy_uj");
}

/* A row of the kernel's counters begins at 0 when they are opened. */
static struct row new_row(struct source *s, const struct rapl *st, struct str device)
{
	struct row row = rows_add(&s->rows, device);
	if (st->power.reopened)
		rows_reopened(&s->rows);
	return row;
}

static int collect_zones(struct source *s)
{
	struct rapl *st = rapl_zones(s);
	char device[80];
	uint64_t uj;
	if (!st)
		return -ENOENT;

	for (size_t i = 0; i < st->now.n; i++) {
		const struct zone *z = &st->now.zone[i];
		if (zone_energy(s, z, &uj) < 0)
			continue;
		snprintf(device, sizeof(device), "%s/%s", z->id, z->name);
		struct row row = new_row(s, st, str_of(device));
		row_set(row, 0, uj);
		if (z->range)
			row_set(row, 1, z->range);
	}
	return s->rows.n ? 0 : nothing_read(s);
}

/* False if the zone has a key and could not be read. */
static bool set_domain(struct source *s, struct row row, struct zone *z, const char *name)
{
	uint64_t uj;
	for (size_t i = 0; i < s->rows.n_metrics; i++) {
		if (strcmp(s->rows.metrics[i].key, name) != 0)
			continue;
		if (zone_odometer(s, z, &uj) < 0)
			return false;
		row_set(row, i, uj / 1000 + (uj % 1000 >= 500));
	}
	return true;
}

/* "package-1" is device 1, "package-1-die-0" is 1/0; the number in the id is that of finding it. */
static bool take_package(struct str name, struct buf *device)
{
	uint64_t package, die;
	if (!str_take_prefix(&name, STR("package-")) || !str_take_u64(&name, &package))
		return false;
	device->n = 0;
	buf_add_u64(device, package);
	if (str_take_prefix(&name, STR("-die-")) && str_take_u64(&name, &die)) {
		buf_add_char(device, '/');
		buf_add_u64(device, die);
	}
	return true;
}

static void collect_package(struct source *s, struct rapl *st, struct zone *package)
{
	size_t n = strlen(package->id);
	struct row row = new_row(s, st, buf_str(&st->device));
	bool whole = set_domain(s, row, package, "package");
	for (size_t i = 0; whole && i < st->now.n; i++) {
		struct zone *z = &st->now.zone[i];
		if (strncmp(z->id, package->id, n) == 0 && z->id[n] == ':')
			whole = set_domain(s, row, z, z->name);
	}
	if (!whole)
		rows_drop(&s->rows);
}

static int collect_packages(struct source *s)
{
	const bool *amd = s->data;
	struct rapl *st = rapl_zones(s);
	if (!st)
		return -ENOENT;
	if (st->amd != *amd)
		return source_absent(s, "the packages are in type %s",
				     st->amd ? "amd64_rapl" : "intel_rapl");

	for (size_t i = 0; i < st->now.n; i++)
		if (take_package(str_of(st->now.zone[i].name), &st->device))
			collect_package(s, st, &st->now.zone[i]);
	return s->rows.n ? 0 : nothing_read(s);
}

/* Counters of the PMU: none where powercap is the source. */
static bool rapl_planned(const struct source *s, size_t i, struct pmu_counter *ret)
{
	const struct rapl *st = s->state;
	for (size_t k = 0; st && k < st->power.n; k++) {
		const struct pmu_group *g = &st->power.package[k].group;
		if (i >= g->n) {
			i -= g->n;
			continue;
		}
		const struct pmu_slot *slot = &g->slot[i];
		*ret = (struct pmu_counter){
			.device = g->device, .key = slot->event->alias, .pmu = g->pmu,
			.type = slot->type, .config = slot->event->config, .cpu = g->cpu,
		};
		return true;
	}
	return false;
}

const struct collector rapl_collector = {
	.type    = &rapl_type,
	.collect = collect_zones,
	.planned = rapl_planned,
	.needs   = PRIVILEGE_SEARCH | PRIVILEGE_PERFMON,
};

const struct collector intel_rapl_collector = {
	.type    = &intel_rapl_type,
	.collect = collect_packages,
	.planned = rapl_planned,
	.needs   = PRIVILEGE_SEARCH | PRIVILEGE_PERFMON,
	.data    = &(const bool){ false },
};

const struct collector amd64_rapl_collector = {
	.type    = &amd64_rapl_type,
	.collect = collect_packages,
	.planned = rapl_planned,
	.needs   = PRIVILEGE_SEARCH | PRIVILEGE_PERFMON,
	.data    = &(const bool){ true },
};
