/* SPDX-License-Identifier: BSD-3-Clause */
/* status_reply.c - write the agent's reply to "status" */
#include "agent/status_reply.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void status_put_time(struct buf *b, const char *key, int64_t usec)
{
	if (usec == 0)
		return;
	buf_addf(b, "%s ", key);
	buf_add_time(b, usec);
	buf_add_char(b, '\n');
}

void status_put_jobs(struct buf *b, const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++) {
		buf_addf(b, "job %s ", j->job[i].id);
		buf_add_time(b, j->job[i].since_us);
		buf_addf(b, " %s\n", job_source_names[j->job[i].source]);
	}
	if (!jobs_any_released(j))
		return;
	buf_add(b, STR("released "));
	jobs_put_released(j, b);
	buf_add_char(b, '\n');
}

void status_put_refused(struct buf *b, struct str errors)
{
	struct str line;
	while (str_take_line(&errors, &line))
		buf_addf(b, "refused " STR_FMT "\n", STR_ARG(line));
}

void status_put_left(struct buf *b, const struct config *c)
{
	buf_addf(b, "left %zu\n", spool_count(c->runtime_dir));
}

static void status_put_live(struct buf *b, const struct recorder *r, const struct live_tier *l)
{
	if (!r->config->live_us)
		return;
	buf_addf(b, "live_interval ");
	buf_add_time(b, r->config->live_us);
	buf_addf(b, "\nlive_file %s/" CONFIG_LIVE_DIR "/%s/current\n", r->config->runtime_dir,
		 r->host.name);
	status_put_time(b, "live_last", l->last_us);
	if (l->error < 0)
		buf_addf(b, "live_stopped %s\n", strerror(-l->error));
}

static void status_put_program(struct buf *b, const struct type_state *t, const struct program *p)
{
	buf_addf(b, "bpf %s %s%s", t->c->type->name, p->why[0] ? "no: " : "yes", p->why);
	if (p->clamped)
		buf_addf(b, ", %llu values went back and were held",
			 (unsigned long long)p->clamped);
	for (size_t k = 0; k < t->c->type->n_metrics; k++)
		if (p->keys_off >> k & 1)
			buf_addf(b, ", %s from its file", t->c->type->metrics[k].name);
	buf_add_char(b, '\n');
}

void status_put(struct buf *b, const struct recorder *r, const struct live_tier *l,
		int64_t since_us)
{
	const struct recorder_status s = recorder_status(r);
	buf_addf(b, "version %s\npid %d\n", PACKAGE_VERSION, (int)getpid());
	status_put_time(b, "since", since_us);
	buf_addf(b, "interval ");
	buf_add_time(b, r->config->interval_us);
	buf_addf(b, "\nfile %s/%s/current\n", r->config->dir, r->host.name);
	if (s.size >= 0)
		buf_addf(b, "size %lld\n", (long long)s.size);
	buf_addf(b, "samples %llu\n", (unsigned long long)s.samples);
	status_put_time(b, "last", s.last_us);
	buf_addf(b, "missed %llu\nwaiting %zu\nlost %llu\nmarks_lost %llu\n",
		 (unsigned long long)s.missed, s.waiting, (unsigned long long)s.lost,
		 (unsigned long long)s.marks_lost);
	status_put_left(b, r->config);
	buf_addf(b, "ended_later %llu\n", (unsigned long long)s.ended_later);
	if (s.hangs_ns)
		buf_addf(b, "hangs %lld\n", (long long)(s.hangs_ns / 1000000000));
	if (s.stopped)
		buf_addf(b, "stopped %s\n", s.stopped);
	status_put_time(b, "removed", s.removed_us);
	status_put_live(b, r, l);
	status_put_jobs(b, &r->jobs);
	job_summary_put_held(&r->summary, b);
	for (size_t i = 0; i < r->sampler.n; i++) {
		const struct type_state *t = &r->sampler.type[i];
		const struct program *p = source_program(&t->source, t->c->program);
		if (t->on && p && t->c->program)
			status_put_program(b, t, p);
		if (t->on && t->result < 0 && t->result != -ENOENT)
			buf_addf(b, "error %s %s\n", t->c->type->name, t->source.why);
	}
}
