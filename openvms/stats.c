/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - current, average, least and largest value of each item */
#include "openvms/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAMPS_PER_SECOND 1e7	/* 100 ns ticks in a second */

bool stat_value(const struct stat_of *s, enum statistic which, double *ret)
{
	if (s->n == 0 || (which == STAT_CURRENT && !s->known))
		return false;
	const double values[] = { s->current, s->weight > 0 ? s->total / s->weight : 0, s->least,
				  s->largest };
	*ret = values[which];
	return true;
}

/*
 * Add a value of the newest sample. The average of all values is the sum of their amounts divided
 * by the sum of their weights.
 */
static void stats_add_value(struct stat_of *s, double value, double amount, double weight)
{
	s->known = true;
	s->current = value;
	s->least = s->n && s->least < value ? s->least : value;
	s->largest = s->n && s->largest > value ? s->largest : value;
	s->total += amount;
	s->weight += weight;
	s->n++;
}

/*
 * Compute the count since the last reading. Returns false if the count is unknown. Also returns
 * false if the time of the reading did not advance, for example after the clock was set back; the
 * count of the next reading then includes the increase.
 */
static bool stats_count(struct stat_of *s, uint32_t reading, double seconds, double *ret)
{
	struct counter before = s->counter;
	if (before.started && seconds <= 0)
		return false;
	counter_add(&s->counter, reading, 32);
	*ret = (double)(s->counter.total - before.total);
	return before.started && !s->counter.waiting && s->counter.uneven == before.uneven &&
	       /* a larger increase means that the counter was reset */
	       *ret <= INT32_MAX;
}

static void stats_forget(struct stat_of *s)
{
	s->known = false;
	s->counter = (struct counter){ 0 };
}

/* Add the hits and lookups of a cache, unless either count is unknown. */
static void stats_take_hits(struct stat_of *hit, struct stat_of *tries, uint32_t hits,
			    uint32_t tried,
			    double seconds)
{
	double h, t;
	bool known = stats_count(hit, hits, seconds, &h);
	known &= stats_count(tries, tried, seconds, &t);
	if (known)
		stats_add_value(tries, t / seconds, t, seconds);
	if (known && t > 0)
		stats_add_value(hit, 100 * h / t, 100 * h, t);
}

static void stats_take_item(const struct vms_set *set, size_t block, size_t item,
			    struct stats_series *s,
			    double seconds)
{
	enum vms_kind kind = vms_classes[set->number].item[item].kind;
	struct stat_of *stat = &s->of[item];
	uint32_t v;
	double step;
	stat->known = false;
	if (kind != VMS_COUNT && kind != VMS_AMOUNT)
		return;
	if (set->absent >> item & 1) {
		stats_forget(stat);
		return;
	}
	v = vms_number(set, block, item);
	if (kind == VMS_AMOUNT)
		stats_add_value(stat, v, v, 1);
	else if (stats_count(stat, v, seconds, &step))
		stats_add_value(stat, step / seconds, step, seconds);
}

static void stats_take_block(const struct vms_set *set, size_t block, struct stats_series *s)
{
	size_t n = vms_classes[set->number].n_items;
	double seconds = s->stamp ? (double)(set->stamp - s->stamp) / STAMPS_PER_SECOND : 0;
	for (size_t i = 0; i < n; i++) {
		if (stats_is_hit(set->number, i) && !(set->absent >> i & 3)) {
			s->of[i].known = s->of[i + 1].known = false;
			stats_take_hits(&s->of[i], &s->of[i + 1], vms_number(set, block, i),
					vms_number(set, block, i + 1), seconds);
			i++;
		} else {
			stats_take_item(set, block, i, s, seconds);
		}
	}
	if (seconds > 0 || !s->stamp)
		s->stamp = set->stamp;
	s->here = true;
}

static void stats_name_block(const struct vms_set *set, size_t block, char *to, size_t size)
{
	struct buf disk CLEANUP(buf_free) = { 0 };
	if (set->number == VMS_PROCESSES) {
		struct str name = vms_text(set, block, 4);
		snprintf(to, size, "%08X " STR_FMT, vms_number(set, block, 12), STR_ARG(name));
	} else if (set->number == VMS_DISK) {
		vms_put_disk(&disk, set, block);
		str_copy(to, size, buf_str(&disk));
	} else if (set->number == VMS_SCS) {
		str_copy(to, size, vms_text(set, block, 0));
	} else if (set->number == VMS_MODES || set->number == VMS_VECTOR) {
		snprintf(to, size, "CPU %u", vms_number(set, block, 0));
	} else if (vms_classes[set->number].component) {
		snprintf(to, size, "%zu", block + 1);
	} else {
		*to = '\0';
	}
}

/*
 * Find the series with this name, or add one. `taken` is the number of series that the newest
 * sample has already found.
 */
static struct stats_series *stats_find_series(struct class_stats *c, const char *name, size_t taken)
{
	for (size_t i = 0; taken < c->n && i < c->n; i++) {
		size_t at = (c->next + i) % c->n;
		if (!c->series[at].here && strcmp(c->series[at].name, name) == 0) {
			c->next = at + 1;
			return &c->series[at];
		}
	}
	c->series = vec_reserve(c->series, &c->cap, c->n + 1, sizeof(*c->series));
	struct stats_series *s = &c->series[c->n++];
	*s = (struct stats_series){ 0 };
	str_copy(s->name, sizeof(s->name), str_of(name));
	return s;
}

/* Sum each item over all CPUs. A sum is unknown if the value of one CPU is unknown. */
static void stats_sum_cpus(struct class_stats *c, const struct vms_set *set)
{
	struct stats_series *all = &c->all;
	double seconds = all->stamp ? (double)(set->stamp - all->stamp) / STAMPS_PER_SECOND : 0;
	for (size_t i = 0; i < vms_classes[set->number].n_items; i++) {
		double sum = 0;
		bool known = true;
		for (size_t k = 0; k < c->n; k++) {
			known &= !c->series[k].here || c->series[k].of[i].known;
			sum += c->series[k].here ? c->series[k].of[i].current : 0;
		}
		all->of[i].known = false;
		if (known && c->n && seconds > 0)
			stats_add_value(&all->of[i], sum, sum * seconds, seconds);
	}
	if (seconds > 0 || !all->stamp)
		all->stamp = set->stamp;
}

/* Drop the processes that are not in the newest sample. */
static void stats_drop_gone(struct class_stats *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->n; i++)
		if (c->series[i].here)
			c->series[kept++] = c->series[i];
	c->n = kept;
}

static void stats_take_class(struct class_stats *c, const struct vms_set *set)
{
	char name[40];
	for (size_t i = 0; i < c->n; i++)
		c->series[i].here = false;
	c->next = 0;
	for (size_t i = 0; i < set->n; i++) {
		stats_name_block(set, i, name, sizeof(name));
		stats_take_block(set, i, stats_find_series(c, name, i));
	}
	if (set->number == VMS_MODES)
		stats_sum_cpus(c, set);
	if (set->number == VMS_PROCESSES)
		stats_drop_gone(c);
	c->moments++;
}

void stats_take(struct stats *s, const struct monitor_moment *m)
{
	if (!s->moments)
		s->first = m->stamp;
	s->last = m->stamp;
	s->moments++;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (moment_has(m, i))
			stats_take_class(&s->of[i], &m->set[i]);
}

void stats_restart(struct stats *s)
{
	for (size_t c = 0; c < VMS_CLASSES; c++)
		for (size_t i = 0; i < s->of[c].n; i++)
			for (size_t k = 0; k < VMS_ITEMS_MAX; k++)
				stats_forget(&s->of[c].series[i].of[k]);
}

void stats_free(struct stats *s)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		free(s->of[i].series);
	*s = (struct stats){ 0 };
}
