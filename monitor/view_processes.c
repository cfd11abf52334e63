/* SPDX-License-Identifier: BSD-3-Clause */
/* view_processes.c - class PROCESSES: a list of them, or bars of those that do most */
#include "monitor/view.h"

#include <stdio.h>
#include <stdlib.h>

/* Places of items. */
enum { STATE = 2, PRIORITY, NAME, GLOBAL, PRIVATE, DIRECT_IO = 8, FAULTS, CPU, EPID = 12 };

static const char *state_name(uint32_t number)
{
	const struct vms_class *c = &vms_classes[VMS_STATES];
	return number >= 1 && number <= c->n_items ? c->item[number - 1].name : "?";
}

static void put_count(const struct vms_set *set, size_t block, size_t item, char to[16])
{
	if (set->absent >> item & 1)
		snprintf(to, 16, "-");
	else
		snprintf(to, 16, "%u", vms_number(set, block, item));
}

/* Ticks of 10 ms. */
static void put_cpu(const struct vms_set *set, size_t block, char to[24])
{
	uint32_t t = vms_number(set, block, CPU);
	snprintf(to, 24, "%02u:%02u:%02u.%02u", t / 360000, t / 6000 % 60, t / 100 % 60, t % 100);
}

static void add_list(const struct shown *s, struct page *ret)
{
	const struct vms_set *set = &s->moment->set[VMS_PROCESSES];
	page_text(ret->columns, "%7s %-6s %3s %-15s %9s %9s %9s %9s %12s", "PID", "STATE", "PRI",
		  "NAME", "GLOBAL", "PAGES", "DIOCNT", "FAULTS", "CPU TIME");
	for (size_t i = 0; i < set->n; i++) {
		struct str name = vms_text(set, i, NAME);
		char dio[16], faults[16], cpu[24];
		put_count(set, i, DIRECT_IO, dio);
		put_count(set, i, FAULTS, faults);
		put_cpu(set, i, cpu);
		page_add(ret, -1, "%7u %-6s %3u %-15.*s %9u %9u %9s %9s %12s",
			 vms_number(set, i, EPID), state_name(vms_number(set, i, STATE)),
			 vms_number(set, i, PRIORITY), STR_ARG(name), vms_number(set, i, GLOBAL),
			 vms_number(set, i, PRIVATE), dio, faults, cpu);
	}
}

/* Of those not done yet the one that has most; NULL: none has more than 0. */
static const struct series *next_most(const struct class_stats *c, size_t item, bool *done)
{
	const struct series *best = NULL;
	double most = 0, v;
	for (size_t i = 0; i < c->n; i++)
		if (!done[i] && stat_value(&c->series[i].of[item], STAT_CURRENT, &v) && v > most) {
			most = v;
			best = &c->series[i];
		}
	if (best)
		done[best - c->series] = true;
	return best;
}

static void free_flags(bool **flags)
{
	free(*flags);
}

static void add_bars(const struct shown *s, struct page *ret)
{
	const struct class_stats *c = &s->stats->of[VMS_PROCESSES];
	bool *done CLEANUP(free_flags) = xrealloc(NULL, c->n + 1);
	double scale = 0, v;
	memset(done, 0, c->n);
	for (size_t i = 0; i < VIEW_TOP; i++) {
		const struct series *p = next_most(c, s->view->top, done);
		if (!p)
			break;
		stat_value(&p->of[s->view->top], STAT_CURRENT, &v);
		if (i == 0)
			scale = s->view->top == CPU ? view_scale(v < 100 ? 100 : v) : view_scale(v);
		page_add(ret, v / scale, "%-28.28s %11.2f", p->name, v);
	}
	if (ret->n)
		page_add(ret, -1, "%-28s %11s 0 to %.0f", "", "", scale);
	else
		page_add(ret, -1, "none did anything of it");
}

void view_add_processes(const struct shown *s, bool bars, struct page *ret)
{
	const struct vms_class *c = &vms_classes[VMS_PROCESSES];
	if (!s->moment || !moment_has(s->moment, VMS_PROCESSES)) {
		page_add(ret, -1, "processes are shown at a moment, not over a time");
		return;
	}
	if (!bars) {
		add_list(s, ret);
		return;
	}
	page_text(ret->columns, "%-28s %11s", c->item[s->view->top].title, "CUR");
	if (s->moment->set[VMS_PROCESSES].absent >> s->view->top & 1)
		page_add(ret, -1, "not known: only root may read it of other users' processes");
	else
		add_bars(s, ret);
}
