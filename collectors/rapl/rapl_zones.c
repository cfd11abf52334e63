/* SPDX-License-Identifier: BSD-3-Clause */
/* rapl_zones.c - find and read the energy zones of the kernel */
#include "collectors/rapl/rapl_zones.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/vec.h"

#define ZONES_MAX 512	/* 128 packages with up to four zones each */
#define CLASS "sys/class/powercap"
/* largest possible power of a zone in W (uJ per us) */
#define WATTS_MAX 10000u

static void rapl_free_state(void *state)
{
	struct rapl *st = state;
	free(st->now.zone);
	free(st->before.zone);
	power_end(&st->power);
	names_free(&st->flat);
	names_free(&st->nested);
	buf_free(&st->device);
}

static struct zone *find_zone(const struct zones *z, const char *id)
{
	for (size_t i = 0; i < z->n; i++)
		if (strcmp(z->zone[i].id, id) == 0)
			return &z->zone[i];
	return NULL;
}

static void rapl_append(struct zones *z, const struct zone *zone)
{
	z->zone = vec_reserve(z->zone, &z->cap, z->n + 1, sizeof(*z->zone));
	z->zone[z->n++] = *zone;
}

/* Read a number from a file of the zone. */
static int read_number(struct source *s, const struct zone *z, const char *file, uint64_t *ret)
{
	struct str text;
	int r = source_read_in(s, z->dir, z->id, file, &text);
	if (r < 0)
		return r;
	return str_take_u64(&text, ret) ? 0 : -EBADMSG;
}

int zone_energy(struct source *s, const struct zone *z, uint64_t *ret)
{
	const struct rapl *st = s->state;
	if (z->package < 0)
		return read_number(s, z, "energy_uj", ret);
	if (!st->power.package[z->package].read)
		return -EIO;
	*ret = st->power.package[z->package].uj[z->slot];
	return 0;
}

static void append_known(struct rapl *st, struct zone *z)
{
	const struct zone *old = find_zone(&st->before, z->id);
	if (old) {
		z->last = old->last;
		z->total = old->total;
		z->read_ns = old->read_ns;
		z->reopened = old->reopened;
	}
	rapl_append(&st->now, z);
}

static void add_zone(struct source *s, struct rapl *st, const char *dir, const char *id)
{
	struct zone z = { .package = -1 };
	struct str text;
	if (st->now.n == ZONES_MAX || find_zone(&st->now, id) ||
	    !str_copy(z.dir, sizeof(z.dir), str_of(dir)) ||
	    !str_copy(z.id, sizeof(z.id), str_of(id)) ||
	    source_read_in(s, dir, id, "name", &text) < 0 ||
	    !str_copy(z.name, sizeof(z.name), str_trim(text)))
		return;
	int r = read_number(s, &z, "max_energy_range_uj", &z.range);
	if (r < 0)
		source_absent(s, "/%s/%s/max_energy_range_uj: %s", dir, id, strerror(-r));
	else
		append_known(st, &z);
}

/*
 * Find the zones in a directory. Zones of AMD processors are also named intel-rapl:N and
 * intel-rapl:N:M. Ignore intel-rapl-mmio:N, which shows the same energy as intel-rapl:N
 * (drivers/thermal/intel/int340x_thermal). The kernel links nested zones into the class directory;
 * some captured trees have them only in the directory of the parent zone.
 */
static void rapl_find_in(struct source *s, struct rapl *st, const char *top)
{
	char dir[128];
	if (names_list(&st->flat, &s->files, top, "intel-rapl:") < 0)
		return;

	for (size_t i = 0; i < st->flat.n; i++) {
		const char *id = st->flat.name[i];
		add_zone(s, st, top, id);
		snprintf(dir, sizeof(dir), "%s/%.64s", top, id);
		if (names_list(&st->nested, &s->files, dir, "intel-rapl:") < 0)
			continue;
		for (size_t k = 0; k < st->nested.n; k++)
			add_zone(s, st, dir, st->nested.name[k]);
	}
}

/*
 * Returns true for an AMD processor. Call this only once: the kernel may interrupt all CPUs to
 * print their clocks in /proc/cpuinfo.
 */
static bool is_amd(struct source *s)
{
	struct str text, line;
	bool amd = false;
	if (source_read_shared(s, "proc/cpuinfo", &text) < 0)
		return false;
	while (!amd && str_take_line(&text, &line) && line.n)
		amd = str_starts(line, STR("vendor_id")) &&
		      (memmem(line.p, line.n, "AuthenticAMD", 12) ||
		       memmem(line.p, line.n, "HygonGenuine", 12));
	return amd;
}

/* Add a counter of the PMU as a zone: "power:1" for package 1, "power:1:dram" for its memory. */
static void rapl_add_counter(struct rapl *st, size_t package, unsigned slot)
{
	const struct power_package *k = &st->power.package[package];
	const char *name = power_zone(&k->group.slot[slot]);
	bool whole = strcmp(name, "package") == 0;
	struct zone z = { .package = (int)package, .slot = (int)slot };
	char die[16] = "", die_name[16] = "";
	if (k->has_die) {
		snprintf(die, sizeof(die), "-%hu", (unsigned short)k->die);
		snprintf(die_name, sizeof(die_name), "-die-%hu", (unsigned short)k->die);
	}
	snprintf(z.id, sizeof(z.id), "power:%hu%s%s%s", (unsigned short)k->package, die,
		 whole ? "" : ":", whole ? "" : name);
	if (whole)
		snprintf(z.name, sizeof(z.name), "package-%hu%s", (unsigned short)k->package,
			 die_name);
	else
		str_copy(z.name, sizeof(z.name), str_of(name));
	append_known(st, &z);
}

/*
 * Add the PMU's counters as zones. In a captured tree they cannot be opened, so there are no zones.
 */
static void rapl_find_power(struct source *s, struct rapl *st)
{
	if (power_look(s, &st->power, st->amd) < 0)
		return;
	st->now.n = 0;
	for (size_t i = 0; i < st->power.n; i++)
		for (unsigned slot = 0; slot < st->power.package[i].group.n; slot++)
			rapl_add_counter(st, i, slot);
}

/* Returns true if any zone is readable; all zones have the same permissions. */
static bool can_read(struct source *s, const struct rapl *st)
{
	uint64_t uj;
	for (size_t i = 0; i < st->now.n; i++)
		if (zone_energy(s, &st->now.zone[i], &uj) == 0)
			return true;
	return false;
}

/*
 * Find the zones. If the PMU was used before, do not switch to powercap, because its counters
 * started at another time.
 */
static void rapl_find(struct source *s, struct rapl *st)
{
	struct zones before = st->before;
	char why[sizeof(s->why)];

	s->why[0] = '\0';
	st->before = st->now;
	st->now = before;
	st->now.n = 0;
	if (st->power.n == 0 || s->files.in_root) {
		rapl_find_in(s, st, CLASS);
		if (st->now.n == 0)	/* a captured tree may lack the class directory */
			rapl_find_in(s, st, "sys/devices/virtual/powercap/intel-rapl");
		if (can_read(s, st))
			return;
	}
	str_copy(why, sizeof(why), str_of(s->why));
	rapl_find_power(s, st);
	if (st->now.n == 0 && why[0])
		/* report the error of powercap, not of the PMU */
		source_absent(s, "%s", why);
}

struct rapl *rapl_zones(struct source *s)
{
	struct rapl *st = source_state(s, sizeof(*st));
	s->end_state = rapl_free_state;
	if (!st->looked || s->rescan) {
		if (!st->looked)
			st->amd = is_amd(s);
		rapl_find(s, st);
		st->looked = true;
	}
	power_read(&st->power);
	if (st->now.n)
		return st;
	if (!s->why[0])
		source_absent(s, "no zone intel-rapl:N with a name in /" CLASS);
	return NULL;
}

static uint64_t past_range(const struct zone *z)
{
	return z->range > z->last ? z->range - z->last : 0;
}

/*
 * Tell why a counter decreased. Returns true if it wrapped, or false if it was reset: then a wrap
 * would mean a power above WATTS_MAX.
 */
static bool wraps(const struct zone *z, uint64_t uj, int64_t now)
{
	return uj + past_range(z) <= WATTS_MAX * (uint64_t)((now - z->read_ns) / 1000 + 1000000);
}

int zone_odometer(struct source *s, struct zone *z, uint64_t *ret)
{
	uint64_t uj;
	int r = zone_energy(s, z, &uj);
	if (r < 0)
		return r;

	int64_t now = monotonic_ns();
	if (!z->read_ns) {
		z->total = uj;
		z->reopened = true;
	} else if (uj >= z->last) {
		z->total += uj - z->last;
	} else if (wraps(z, uj, now)) {
		z->total += uj + past_range(z);
	} else {
		z->reopened = true;
	}
	z->last = uj;
	z->read_ns = now;
	*ret = z->total;
	return 0;
}
