/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pm_counters - energy of the whole node and of its accelerators, from /sys/cray/pm_counters
 *
 * The node's controller updates all values, and then the file "freshness", ten times per second.
 * The values that were read are of the same moment if freshness was the same before and after
 * reading them (HPE, "Monitoring and Managing Power Consumption", S-0043). If the controller hangs,
 * there are no rows until freshness changes. Counters start at 0 when the controller starts.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/names.h"

#define DIR       "sys/cray/pm_counters"
#define TRIES     3
/*
 * if freshness has not changed for this time (ns), the controller hangs: normally it changes every
 * 0.1 s
 */
#define STALE_NS  2000000000
#define ACCELS    64

/* State of one of the two types: freshness and file names at the last sample. */
struct pm_counters_state {
	bool known;
	uint64_t freshness;
	int64_t fresh_ns;	/* time of the last change of freshness */
	struct names names;
};

static void pm_counters_free_state(void *state)
{
	struct pm_counters_state *st = state;
	names_free(&st->names);
}

/* Parse "52890147 J 1593436788063063 us", "7" or "0 W 1593436788063063 us". */
static bool pm_counters_read_value(struct source *s, const char *name, uint64_t *ret)
{
	struct str text;
	return source_read_in(s, "sys/cray", "pm_counters", name, &text) == 0 &&
	       str_take_u64(&text, ret);
}

static void read_node(struct source *s)
{
	struct row row = rows_add(&s->rows, STR("-"));
	uint64_t v;
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		if (pm_counters_read_value(s, s->rows.metrics[i].name, &v))
			row_set(row, i, v);
}

/* Add the row of an accelerator. Unreadable files are left out. */
static void read_accel(struct source *s, unsigned n)
{
	char file[32], device[16];
	bool found = false;
	uint64_t v;
	snprintf(device, sizeof(device), "%u", n);
	struct row row = rows_add(&s->rows, str_of(device));
	for (size_t i = 0; i < s->rows.n_metrics; i++) {
		snprintf(file, sizeof(file), "accel%u_%s", n, s->rows.metrics[i].name);
		if (!pm_counters_read_value(s, file, &v))
			continue;
		row_set(row, i, v);
		found = true;
	}
	if (!found)
		rows_drop(&s->rows);
}

/* Returns true if the file is accelN_energy, and sets *n to N. */
static bool pm_counters_is_accel(const char *file, uint64_t *n)
{
	struct str name = str_skip(str_of(file), strlen("accel"));
	return str_take_u64(&name, n) && str_eq(name, STR("_energy")) && *n < ACCELS;
}

static void read_accels(struct source *s, struct pm_counters_state *st)
{
	uint64_t n;
	for (size_t i = 0; i < st->names.n; i++)
		if (pm_counters_is_accel(st->names.name[i], &n))
			read_accel(s, (unsigned)n);
}

/*
 * Read all files. Returns 0; -EAGAIN if the controller updated the files during the reading; or
 * -ENOENT with s->why set if freshness has no number.
 */
static int pm_counters_read_once(struct source *s, struct pm_counters_state *st, bool accels,
				 uint64_t *freshness)
{
	uint64_t after;
	rows_clear(&s->rows);
	if (!pm_counters_read_value(s, "freshness", freshness))
		return source_absent(s, "no number in /" DIR "/freshness");
	if (accels)
		read_accels(s, st);
	else
		read_node(s);
	return pm_counters_read_value(s, "freshness", &after) && after == *freshness ? 0 : -EAGAIN;
}

static bool is_stale(struct pm_counters_state *st, uint64_t freshness)
{
	int64_t now = monotonic_ns();
	if (!st->known || freshness != st->freshness)
		st->fresh_ns = now;
	st->known = true;
	st->freshness = freshness;
	return now - st->fresh_ns > STALE_NS;
}

static int pm_counters_no_rows(struct source *s, const struct pm_counters_state *st)
{
	uint64_t n;
	for (size_t i = 0; i < st->names.n; i++)
		if (pm_counters_is_accel(st->names.name[i], &n))
			return source_absent(s, "no number in /" DIR "/%s", st->names.name[i]);
	return source_absent(s, "no /" DIR "/accelN_energy");
}

static int pm_counters_collect(struct source *s)
{
	struct pm_counters_state *st = source_state(s, sizeof(*st));
	uint64_t freshness = 0;
	int r = -EAGAIN;

	s->end_state = pm_counters_free_state;
	if ((!st->known || s->rescan) &&
	    names_list(&st->names, &s->files, DIR, "accel") < 0)
		return source_absent(s, "no /" DIR);
	for (int i = 0; r == -EAGAIN && i < TRIES; i++)
		r = pm_counters_read_once(s, st, s->data, &freshness);
	if (r == -EAGAIN)
		source_absent(s, "the controller writes faster than values can be read");
	if (r == 0 && is_stale(st, freshness)) {
		source_absent(s, "freshness stays at %llu: the node's controller does not write",
			      (unsigned long long)freshness);
		r = -EIO;
	}
	if (r < 0) {
		rows_clear(&s->rows);
		return r;
	}
	return s->rows.n ? 0 : pm_counters_no_rows(s, st);
}

const struct collector pm_counters_collector = {
	.type    = &pm_counters_type,
	.collect = pm_counters_collect,
};

const struct collector pm_accel_collector = {
	.type    = &pm_accel_type,
	.collect = pm_counters_collect,
	.data    = "",
};
