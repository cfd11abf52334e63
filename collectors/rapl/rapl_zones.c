/* SPDX-License-Identifier: BSD-3-Clause */
/* rapl_zones.c - the zones in which the kernel counts energy */
#include "collectors/rapl/rapl_zones.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

#define ZONES_MAX 512	/* 128 packages with three each */
#define CLASS "sys/class/powercap"

static void end(void *state)
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

static void append(struct zones *z, const struct zone *zone)
{
	z->zone = vec_reserve(z->zone, &z->cap, z->n + 1, sizeof(*z->zone));
	z->zone[z->n++] = *zone;
}

/* A number from a file of the zone's directory. */
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
		z->started = old->started;
	}
	append(&st->now, z);
}

static void add_zone(struct source *s, struct rapl *st, const char *dir, const char *id)
{
	struct zone z = { .package = -1 };
	struct str text;
	if (st->now.n == ZONES_MAX || find_zone(&st->now, id) ||
	    !str_copy(z.dir, sizeof(z.dir), str_of(dir)) ||
	    !str_copy(z.id, sizeof(z.id), str_of(id)) ||
	    source_read_in(s, dir, id, "name", &text) < 0 ||
	    !str_copy(z.name, sizeof(z.name), str_trim(text)) ||
	    read_number(s, &z, "max_energy_range_uj", &z.range) < 0)
		return;
	append_known(st, &z);
}

/*
 * On AMD, too, zones are intel-rapl:N and intel-rapl:N:M. intel-rapl-mmio:N is a second view of the
 * energy in intel-rapl:N (drivers/thermal/intel/int340x_thermal) and not looked at. The kernel
 * links nested zones into the class as well; some captured trees have them in their parents only.
 */
static void look_in(struct source *s, struct rapl *st, const char *top)
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

/* Asked once: to print it, the kernel may have to ask all CPUs for their clock. */
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

/* "power:1" is the zone package-1, "power:1:dram" what is in it. */
static void add_counter(struct rapl *st, size_t package, unsigned slot)
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

/* Of a captured tree as well, where nothing is open: then there is no zone but the reason. */
static void look_at_power(struct source *s, struct rapl *st)
{
	if (power_look(s, &st->power, st->amd) < 0)
		return;
	st->now.n = 0;
	for (size_t i = 0; i < st->power.n; i++)
		for (unsigned slot = 0; slot < st->power.package[i].group.n; slot++)
			add_counter(st, i, slot);
}

/* A single zone that may be read is enough: permission is the same for all of them. */
static bool can_read(struct source *s, const struct rapl *st)
{
	uint64_t uj;
	for (size_t i = 0; i < st->now.n; i++)
		if (zone_energy(s, &st->now.zone[i], &uj) == 0)
			return true;
	return false;
}

/* Keeps the source of the first look: the other one counts from another moment on. */
static void look(struct source *s, struct rapl *st)
{
	struct zones before = st->before;
	st->before = st->now;
	st->now = before;
	st->now.n = 0;
	if (st->power.n == 0 || s->files.in_root) {
		look_in(s, st, CLASS);
		if (st->now.n == 0)	/* a captured tree without the class */
			look_in(s, st, "sys/devices/virtual/powercap/intel-rapl");
		if (can_read(s, st))
			return;
	}
	look_at_power(s, st);
}

struct rapl *rapl_zones(struct source *s)
{
	struct rapl *st = source_state(s, sizeof(*st));
	s->end_state = end;
	if (!st->looked || s->rescan) {
		if (!st->looked)
			st->amd = is_amd(s);
		look(s, st);
		st->looked = true;
	}
	power_read(&st->power);
	if (st->now.n)
		return st;
	if (!s->why[0])
		source_absent(s, "no zone intel-rapl:N with a name in /" CLASS);
	return NULL;
}

int zone_odometer(struct source *s, struct zone *z, uint64_t *ret)
{
	uint64_t uj;
	int r = zone_energy(s, z, &uj);
	if (r < 0)
		return r;

	if (!z->started)
		z->total = uj;
	else if (uj >= z->last)
		z->total += uj - z->last;
	else
		z->total += uj + (z->range > z->last ? z->range - z->last : 0);
	z->last = uj;
	z->started = true;
	*ret = z->total;
	return 0;
}
