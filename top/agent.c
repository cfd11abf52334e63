/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.c - what the agent of this node answers, and what it costs */
#include "top/agent.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "agent/control.h"
#include "base/clock.h"

#define TIMEOUT_MS 1000

static void take_job(struct top_agent *a, struct str line)
{
	struct str since;
	struct top_job j;
	if (!str_take_word(&line, &j.id) || !str_take_word(&line, &since) ||
	    !str_take_time(&since, &j.since_us))
		return;
	a->job = vec_reserve(a->job, &a->cap, a->n + 1, sizeof(*a->job));
	a->job[a->n++] = j;
}

static void take_line(struct top_agent *a, struct str line)
{
	if (str_take_prefix(&line, STR("pid ")))
		a->runs = str_take_u64(&line, &a->pid);
	else if (str_take_prefix(&line, STR("interval ")))
		(void)str_take_time(&line, &a->interval_us);
	else if (str_take_prefix(&line, STR("last ")))
		(void)str_take_time(&line, &a->last_us);
	else if (str_take_prefix(&line, STR("missed ")))
		(void)str_take_u64(&line, &a->missed);
	else if (str_take_prefix(&line, STR("job ")))
		take_job(a, line);
}

/* proc(5), /proc/PID/stat: after the name in parentheses utime and stime are words 12 and 13. */
static bool take_ticks(struct str stat, uint64_t *ticks, uint64_t *pages)
{
	uint64_t user, system;
	struct str word;
	while (str_take_until(&stat, ')', &word))
		;
	for (int i = 0; i < 11; i++)
		if (!str_take_word(&stat, &word))
			return false;
	if (!str_take_u64(&stat, &user) || !str_take_u64(&stat, &system))
		return false;
	for (int i = 0; i < 8; i++)
		if (!str_take_word(&stat, &word))
			return false;
	*ticks = user + system;
	return str_take_u64(&stat, pages);
}

static void look_at_process(struct top_agent *a, struct files *root)
{
	char path[64];
	struct str stat;
	uint64_t ticks, pages;
	int64_t now = monotonic_ns();

	a->cpus = a->rss = NAN;
	snprintf(path, sizeof(path), "proc/%llu/stat", (unsigned long long)a->pid);
	root->again = true;
	if (files_read(root, path, FILE_RECORDS, &a->read, &stat) < 0 ||
	    !take_ticks(stat, &ticks, &pages)) {
		a->looked_ns = 0;
		return;
	}
	if (a->looked_ns && ticks >= a->ticks && now > a->looked_ns)
		a->cpus = (double)(ticks - a->ticks) / (double)sysconf(_SC_CLK_TCK) /
			  ((double)(now - a->looked_ns) / 1e9);
	a->rss = (double)pages * (double)sysconf(_SC_PAGESIZE);
	a->ticks = ticks;
	a->looked_ns = now;
}

void top_agent_look(struct top_agent *a, const char *runtime_dir, struct files *root)
{
	uint64_t pid = a->pid;
	a->runs = false;
	a->n = 0;
	a->last_us = 0;
	if (control_ask(runtime_dir, CONTROL_STATUS, STR(""), TIMEOUT_MS, &a->text) != 0)
		return;
	struct str text = buf_str(&a->text), line;
	while (str_take_line(&text, &line))
		take_line(a, line);
	if (pid != a->pid)
		a->looked_ns = 0;
	if (a->runs)
		look_at_process(a, root);
}

void top_agent_free(struct top_agent *a)
{
	free(a->job);
	buf_free(&a->text);
	buf_free(&a->read);
}
