/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.c - get samples and status from this node's agent */
#include "top/agent.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/control.h"
#include "base/clock.h"
#include "base/system/proc_stat.h"
#include "formats/raw_read.h"

#define TIMEOUT_MS 1000

static void top_agent_take_job(struct top_agent *a, struct str line)
{
	struct str since;
	struct top_job j;
	if (!str_take_word(&line, &j.id) || !str_take_word(&line, &since) ||
	    !str_take_time(&since, &j.since_us))
		return;
	a->job = vec_reserve(a->job, &a->cap, a->n + 1, sizeof(*a->job));
	a->job[a->n++] = j;
}

static void top_agent_take_line(struct top_agent *a, struct str line)
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
		top_agent_take_job(a, line);
}

static void top_agent_look_at_process(struct top_agent *a, struct files *root)
{
	char path[64];
	struct str text;
	struct proc_stat stat;
	int64_t now = monotonic_ns();

	a->cpus = a->rss = NAN;
	snprintf(path, sizeof(path), "proc/%llu/stat", (unsigned long long)a->pid);
	root->again = true;
	if (files_read(root, path, FILE_RECORDS, &a->read, &text) < 0 ||
	    !proc_stat_take(text, STAT_RSS, &stat)) {
		a->looked_ns = 0;
		return;
	}
	uint64_t ticks = stat.field[STAT_UTIME] + stat.field[STAT_STIME];
	if (a->looked_ns && ticks >= a->ticks && now > a->looked_ns)
		a->cpus = (double)(ticks - a->ticks) / (double)sysconf(_SC_CLK_TCK) /
			  ((double)(now - a->looked_ns) / 1e9);
	a->rss = (double)stat.field[STAT_RSS] * (double)sysconf(_SC_PAGESIZE);
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
		top_agent_take_line(a, line);
	if (pid != a->pid)
		a->looked_ns = 0;
	if (a->runs)
		top_agent_look_at_process(a, root);
}

static ssize_t top_agent_read_text(void *arg, char *to, size_t n)
{
	struct top_agent *a = arg;
	size_t left = a->sample.n - a->at;
	n = n < left ? n : left;
	memcpy(to, a->sample.p + a->at, n);
	a->at += n;
	return (ssize_t)n;
}

static void list_types(struct buf *b)
{
	for (size_t i = 0; i < n_top_types; i++)
		buf_addf(b, "%s%s", i ? "," : "", top_types[i].name);
}

bool top_agent_sample(struct top_agent *a, const char *runtime_dir, const struct top_moment *before,
		      struct top_moment *m)
{
	const struct byte_source bytes = { top_agent_read_text, a };
	const struct record *r;

	if (!a->types.n)
		list_types(&a->types);
	a->at = 0;
	if (control_ask(runtime_dir, CONTROL_SAMPLE, buf_str(&a->types), TIMEOUT_MS,
			&a->sample) != 0)
		return false;
	struct record_source source = raw_records(&bytes, NULL);
	bool newer = record_next(&source, &r) > 0 && r->usec > before->usec;
	if (newer)
		top_moment_take(m, before, r);
	record_source_end(&source);
	return newer;
}

void top_agent_free(struct top_agent *a)
{
	free(a->job);
	buf_free(&a->text);
	buf_free(&a->read);
	buf_free(&a->types);
	buf_free(&a->sample);
}
