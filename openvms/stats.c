/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - current, average, least and largest of each item, from moment to moment */
#include "monitor/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1e7	/* of system time */

bool stat_value(const struct stat_of *s, enum statistic which, double *ret)
{
	if (s->n == 0 || (which == STAT_CURRENT && !s->known))
		return false;
	const double values[] = { s->current, s->weight > 0 ? s->total / s->weight : 0, s->least,
				  s->largest };
	*ret = values[which];
	return true;
}

/* value is that of the newest moment; amount of it goes into the average by this weight. */
static void take(struct stat_of *s, double value, double amount, double weight)
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
 * The count since the last reading; false: nobody knows. A stamp that does not go on, as that of a
 * clock which was set back, ends no interval: the counts are those of the next one, too.
 */
static bool count(struct stat_of *s, uint32_t reading, double seconds, uint32_t *ret)
{
	uint32_t step = reading - s->last;
	if (s->started && seconds <= 0)
		return false;
	bool known = s->started && step <= INT32_MAX;	/* more of it: it was set back */
	s->started = true;
	s->last = reading;
	*ret = step;
	return known;
}

static void forget(struct stat_of *s)
{
	s->known = s->started = false;
}

/* Hits and tries go together: the percentage is that of the totals. */
static void take_hits(struct stat_of *hit, struct stat_of *tries, uint32_t hits, uint32_t tried,
		      double seconds)
{
	uint32_t h, t;
	bool known = count(hit, hits, seconds, &h);
	known &= count(tries, tried, seconds, &t);
	if (known)
		take(tries, t / seconds, t, seconds);
	if (known && t)
		take(hit, 100.0 * h / t, 100.0 * h, t);
}

static void take_item(const struct vms_set *set, size_t block, size_t item, struct series *s,
		      double seconds)
{
	enum vms_kind kind = vms_classes[set->number].item[item].kind;
	struct stat_of *stat = &s->of[item];
	uint32_t v, step;
	stat->known = false;
	if (kind != VMS_COUNT && kind != VMS_AMOUNT)
		return;
	if (set->absent >> item & 1) {
		forget(stat);
		return;
	}
	v = vms_number(set, block, item);
	if (kind == VMS_AMOUNT)
		take(stat, v, v, 1);
	else if (count(stat, v, seconds, &step))
		take(stat, step / seconds, step, seconds);
}

static void take_block(const struct vms_set *set, size_t block, struct series *s)
{
	size_t n = vms_classes[set->number].n_items;
	double seconds = s->stamp ? (double)(set->stamp - s->stamp) / SECOND : 0;
	for (size_t i = 0; i < n; i++) {
		if (stats_is_hit(set->number, i) && !(set->absent >> i & 3)) {
			s->of[i].known = s->of[i + 1].known = false;
			take_hits(&s->of[i], &s->of[i + 1], vms_number(set, block, i),
				  vms_number(set, block, i + 1), seconds);
			i++;
		} else {
			take_item(set, block, i, s, seconds);
		}
	}
	if (seconds > 0 || !s->stamp)
		s->stamp = set->stamp;
	s->here = true;
}

static void name_of(const struct vms_set *set, size_t block, char *to, size_t size)
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

/* taken: so many of them are found already, and are not looked at where these are all. */
static struct series *find(struct class_stats *c, const char *name, size_t taken)
{
	for (size_t i = 0; taken < c->n && i < c->n; i++) {
		size_t at = (c->next + i) % c->n;
		if (!c->series[at].here && strcmp(c->series[at].name, name) == 0) {
			c->next = at + 1;
			return &c->series[at];
		}
	}
	c->series = vec_reserve(c->series, &c->cap, c->n + 1, sizeof(*c->series));
	struct series *s = &c->series[c->n++];
	*s = (struct series){ 0 };
	str_copy(s->name, sizeof(s->name), str_of(name));
	return s;
}

/* All CPUs: where one is not known, the sum is not. */
static void take_all(struct class_stats *c, const struct vms_set *set)
{
	struct series *all = &c->all;
	double seconds = all->stamp ? (double)(set->stamp - all->stamp) / SECOND : 0;
	for (size_t i = 0; i < vms_classes[set->number].n_items; i++) {
		double sum = 0;
		bool known = true;
		for (size_t k = 0; k < c->n; k++) {
			known &= !c->series[k].here || c->series[k].of[i].known;
			sum += c->series[k].here ? c->series[k].of[i].current : 0;
		}
		all->of[i].known = false;
		if (known && c->n && seconds > 0)
			take(&all->of[i], sum, sum * seconds, seconds);
	}
	if (seconds > 0 || !all->stamp)
		all->stamp = set->stamp;
}

/* Processes that are gone are not shown any more; disks are. */
static void drop_gone(struct class_stats *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->n; i++)
		if (c->series[i].here)
			c->series[kept++] = c->series[i];
	c->n = kept;
}

static void take_class(struct class_stats *c, const struct vms_set *set)
{
	char name[40];
	for (size_t i = 0; i < c->n; i++)
		c->series[i].here = false;
	c->next = 0;
	for (size_t i = 0; i < set->n; i++) {
		name_of(set, i, name, sizeof(name));
		take_block(set, i, find(c, name, i));
	}
	if (set->number == VMS_MODES)
		take_all(c, set);
	if (set->number == VMS_PROCESSES)
		drop_gone(c);
	c->moments++;
}

void stats_take(struct stats *s, const struct moment *m)
{
	if (!s->moments)
		s->first = m->stamp;
	s->last = m->stamp;
	s->moments++;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (moment_has(m, i))
			take_class(&s->of[i], &m->set[i]);
}

void stats_restart(struct stats *s)
{
	for (size_t c = 0; c < VMS_CLASSES; c++)
		for (size_t i = 0; i < s->of[c].n; i++)
			for (size_t k = 0; k < VMS_ITEMS_MAX; k++)
				forget(&s->of[c].series[i].of[k]);
}

void stats_free(struct stats *s)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		free(s->of[i].series);
	*s = (struct stats){ 0 };
}
