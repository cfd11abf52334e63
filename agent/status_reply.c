/* SPDX-License-Identifier: BSD-3-Clause */
/* status_reply.c - the agent's own answer to "status" */
#include "agent/status_reply.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "formats/raw_write.h"

static void put_time(struct buf *b, const char *key, int64_t usec)
{
	if (usec == 0)
		return;
	buf_addf(b, "%s ", key);
	raw_put_time(b, usec);
	buf_add_char(b, '\n');
}

void status_put_jobs(struct buf *b, const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++) {
		buf_addf(b, "job %s ", j->job[i].id);
		raw_put_time(b, j->job[i].since_us);
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
	buf_addf(b, "left %zu\n", spool_count(c->runtime_dir, SPOOL_MARK));
}

static void put_live(struct buf *b, const struct recorder *r)
{
	if (!r->config->live_us)
		return;
	buf_addf(b, "live_interval ");
	raw_put_time(b, r->config->live_us);
	buf_addf(b, "\nlive_file %s/" CONFIG_LIVE_DIR "/%s/current\n", r->config->runtime_dir,
		 r->host.name);
	put_time(b, "live_last", r->between.last_us);
	if (r->between.error < 0)
		buf_addf(b, "live_stopped %s\n", strerror(-r->between.error));
}

void status_put(struct buf *b, const struct recorder *r, int64_t since_us)
{
	buf_addf(b, "version %s\npid %d\n", PACKAGE_VERSION, (int)getpid());
	put_time(b, "since", since_us);
	buf_addf(b, "interval ");
	raw_put_time(b, r->config->interval_us);
	buf_addf(b, "\nfile %s/%s/current\n", r->config->dir, r->host.name);
	if (r->out.stored.size >= 0)
		buf_addf(b, "size %lld\n", (long long)r->out.stored.size);
	buf_addf(b, "samples %llu\n", (unsigned long long)r->samples);
	put_time(b, "last", r->last_us);
	buf_addf(b, "missed %llu\nwaiting %zu\nlost %llu\nmarks_lost %llu\n",
		 (unsigned long long)r->missed_total, r->out.unwritten.n,
		 (unsigned long long)r->out.unwritten.lost, (unsigned long long)r->out.marks_lost);
	status_put_left(b, r->config);
	buf_addf(b, "ended_later %llu\n", (unsigned long long)r->ended_later);
	if (writer_is_busy(&r->out.writer))
		buf_addf(b, "hangs %lld\n",
			 (long long)((monotonic_ns() - r->out.writer.busy_ns) / 1000000000));
	if (r->out.full)
		buf_addf(b, "stopped %s\n", r->out.why);
	put_time(b, "removed", r->out.removed_us);
	put_live(b, r);
	status_put_jobs(b, &r->jobs);
	for (size_t i = 0; i < r->sampler.n; i++) {
		const struct type_state *t = &r->sampler.type[i];
		if (t->on && t->result < 0 && t->result != -ENOENT)
			buf_addf(b, "error %s %s\n", t->c->type->name, t->source.why);
	}
}
