/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rapl - energy used by packages, cores and memory
 *
 * Energy is read from /sys/class/powercap if permitted, otherwise from the perf PMU "power": see
 * rapl_zones.h.
 *
 * Type rapl has one device per zone, with the numbers that the kernel shows: the counter, and the
 * value at which the counter wraps (max_energy_range_uj). This value is not a power of two, so W=
 * of the schema, a number of bits, could not describe it. Only type rapl has platform zones and
 * other zones outside packages.
 *
 * Types intel_rapl and amd64_rapl have one device per package, with the newest keys of
 * hpcperfstats, in millijoules. Their counters have 64 bits and no W=32, because they continue when
 * powercap's counter wraps, if there is a sample between two wraps: Intel's wraps after 15 minutes
 * at 280 W (262 kJ), AMD's after 4 minutes (65 kJ). If samples are rarer, wraps are missed without
 * notice; with the PMU, no wrap is missed. A new process starts from powercap's reading, or from 0
 * with the PMU. Its first row is marked as reopened, because the process cannot know how many wraps
 * an earlier process counted.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <string.h>
#include "collectors/rapl/rapl_zones.h"

/*
 * Explain in s->why that no zone could be read: since Linux 5.10, only root may read energy_uj.
 * Returns -ENOENT.
 */
static int nothing_read(struct source *s)
{
	return s->why[0] ? -ENOENT : source_absent(s, "no zone with a number in energy_uj");
}

static int collect_zones(struct source *s)
{
	struct rapl *st = rapl_zones(s);
	uint64_t uj;
	if (!st)
		return -ENOENT;

	for (size_t i = 0; i < st->now.n; i++) {
		const struct zone *z = &st->now.zone[i];
		if (zone_energy(s, z, &uj) < 0)
			continue;
		st->device.n = 0;
		buf_add(&st->device, str_of(z->id));
		buf_add_char(&st->device, '/');
		buf_add(&st->device, str_of(z->name));
		struct row row = rows_add(&s->rows, buf_str(&st->device));
		if (st->power.reopened)
			rows_reopened(&s->rows);
		row_set(row, 0, uj);
		if (z->range)
			row_set(row, 1, z->range);
	}
	return s->rows.n ? 0 : nothing_read(s);
}

/*
 * Set the key for a zone with this name. Returns false if the type has a key for the zone, but the
 * zone is unreadable.
 */
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

/*
 * Set the device: "1" for "package-1", "1/0" for "package-1-die-0". The number in the zone's id is
 * not used, because it only shows the order of discovery.
 */
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
	struct row row = rows_add(&s->rows, buf_str(&st->device));
	bool whole = set_domain(s, row, package, "package");
	for (size_t i = 0; whole && i < st->now.n; i++) {
		struct zone *z = &st->now.zone[i];
		if (strncmp(z->id, package->id, n) != 0 || z->id[n] != ':')
			continue;
		whole = set_domain(s, row, z, z->name);
		package->reopened |= z->reopened;
		z->reopened = false;
	}
	if (!whole) {
		rows_drop(&s->rows);
		return;
	}
	if (package->reopened)
		rows_reopened(&s->rows);
	package->reopened = false;
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

/* Get counter i of the PMU. Returns false after the last counter, or if powercap is used. */
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
