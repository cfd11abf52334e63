/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - one moment of this node becomes a record of the archive */
#include "recorder/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "base/listener.h"

/* So long the agent waits for a hook that changes the jobs, and when it has waited already. */
#define BUSY_MS  1000
#define STILL_MS 20

/*
 * Where ticks come so soon, the next one shows what the disk did to this one; where they come
 * sooner, the writer gets in so long a time what they made.
 */
#define SOON_US 10000000

static void close_for_jobs(struct sampler *s, const struct jobs *j)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	buf_add(&why, STR("counters released to job "));
	jobs_put_released(j, &why);
	buf_add_char(&why, '\0');
	sampler_hold_off(s, HOLDS_HARDWARE, why.p);
}

/* A counter that begins at 0 and ends with the sample has nothing to subtract from. */
void counters_choose(struct sampler *s, const struct jobs *j, bool single)
{
	if (single)
		sampler_hold_off(s, HOLDS_COUNTERS, "a single sample has nothing to subtract from; "
				 "nodometerd counts");
	else if (jobs_any_released(j))
		close_for_jobs(s, j);
	else
		sampler_hold_off(s, HOLDS_NOTHING, "");
}

int recorder_open(struct recorder *r, const struct config *config,
		  const struct listener *listener, char *error, size_t size)
{
	memset(r, 0, sizeof(*r));
	r->config = config;
	r->listener = listener;
	r->spool = (struct spool){ .dirfd = -1, .lockfd = -1, .listener = listener };
	int e = sampler_init(&r->sampler, config->root, config->use, config->deadline_us * 1000);
	r->sampler.listener = listener;
	if (e < 0) {
		snprintf(error, size, "%s: %s", config->root, strerror(-e));
		return e;
	}
	sampler_add_named(&r->sampler, &config->named);
	sampler_set_live(&r->sampler, str_of(config->live_types));
	struct buf unknown CLEANUP(buf_free) = { 0 };
	users_add_local(&r->sampler.shared.job_owners, str_of(config->scheduler_users), &unknown);
	host_identify(&r->host, &r->sampler.root, config->hostname);
	r->out = (struct output){
		.config = config, .listener = listener, .sampler = &r->sampler, .spool = &r->spool,
		.host = &r->host,
	};
	output_open(&r->out);
	snprintf(r->jobs_path, sizeof(r->jobs_path), "%s/jobs", config->runtime_dir);
	return 0;
}

void recorder_close(struct recorder *r)
{
	output_close(&r->out);
	spool_close(&r->spool);
	live_free(&r->live);
	sampler_free(&r->sampler);
	job_summary_free(&r->summary);
	held_jobs_free(&r->held);
	jobs_free(&r->jobs);
	buf_free(&r->ended);
	buf_free(&r->marks);
	buf_free(&r->strays);
	buf_free(&r->ids);
}

void recorder_set_patience(struct recorder *r, int lock_ms)
{
	r->out.to.store.lock_ms = lock_ms;
}

int recorder_serve(struct recorder *r, int lock_ms)
{
	struct archiver *a = &r->out.to;
	a->keep = a->apart = true;
	output_keep(&r->out);
	recorder_set_patience(r, lock_ms);
	int e = writer_start(&a->writer, &a->store);
	if (e < 0)
		say_error(r->listener, "no process to write the archive: %s", strerror(-e));
	return e;
}

int recorder_reopen(struct recorder *r, char *error, size_t size)
{
	struct unwritten *waiting = &r->out.to.unwritten, unwritten = *waiting;
	struct job_summaries summary = r->summary;
	uint64_t samples = r->samples, missed = r->missed;
	int lock_ms = r->out.to.store.lock_ms;

	if (waiting->n)
		*waiting = (struct unwritten){ .n = 0 };
	r->summary = (struct job_summaries){ .n = 0 };
	recorder_close(r);
	int e = recorder_open(r, r->config, r->listener, error, size);
	if (unwritten.n)
		*waiting = unwritten;
	waiting->mixed = unwritten.n > 0;
	waiting->lost = unwritten.lost;
	waiting->held = 0;
	r->out.to.begun = samples > 0;
	r->summary = summary;
	r->samples = samples;
	r->missed = missed;
	return e < 0 ? e : recorder_serve(r, lock_ms);
}

void recorder_settle(struct recorder *r)
{
	archiver_settle(&r->out.to);
}

struct recorder_status recorder_status(const struct recorder *r)
{
	const struct archiver *a = &r->out.to;
	return (struct recorder_status){
		.samples = r->samples, .missed = r->missed, .ended_later = r->ended_later,
		.last_us = r->last_us,
		.waiting = archiver_waiting(a), .lost = a->unwritten.lost,
		.marks_lost = a->marks_lost,
		.size = a->stored.size, .moved = a->stored.moved, .removed_us = a->removed_us,
		.hangs_ns = a->full && a->writer.busy_ns ? monotonic_ns() - a->writer.busy_ns : 0,
		.stopped = a->full ? a->why : NULL,
	};
}

bool recorder_wants_tidy(struct recorder *r)
{
	struct archiver *a = &r->out.to;
	bool closed = a->new_file;
	a->new_file = false;
	return closed || a->stored.below_floor;
}

static void begin_sample(struct recorder *r)
{
	counters_choose(&r->sampler, &r->jobs, !r->out.to.keep);
	r->sampled_us = realtime_us();
}

/* Without time for a sample, the schema is that of the row of the sample's cost. */
static void collect(struct recorder *r)
{
	begin_sample(r);
	r->sampled = true;
	output_note_schema(&r->out, (!r->marks_only && sampler_collect(&r->sampler)) ||
			   !r->out.schema.n);
}

static void load_jobs(struct recorder *r)
{
	int e = jobs_load(&r->jobs, r->jobs_path);
	if (e < 0)
		say_warning(r->listener, "%s: %s; jobs that others began are not known here",
			    r->jobs_path, strerror(-e));
	if (r->out.to.keep)
		job_summary_keep(&r->summary, &r->jobs);
}

/* Whether another process has saved the jobs since this one has. */
static bool jobs_changed(struct recorder *r)
{
	struct stat st;
	if (stat(r->jobs_path, &st) < 0)
		return false;
	int64_t ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	if (st.st_ino == r->jobs_file.inode && st.st_size == r->jobs_file.size &&
	    ns == r->jobs_file.changed_ns)
		return false;
	r->jobs_file.inode = st.st_ino;
	r->jobs_file.size = st.st_size;
	r->jobs_file.changed_ns = ns;
	return true;
}

void recorder_look(struct recorder *r)
{
	r->marks.n = r->strays.n = 0;
	if (jobs_changed(r))
		load_jobs(r);
}

/* The end of a job that has the counters opens them for its own sample. */
void recorder_collect(struct recorder *r)
{
	recorder_look(r);
	if (!jobs_any_released(&r->jobs))
		collect(r);
}

int recorder_enter(struct recorder *r)
{
	const struct archiver *a = &r->out.to;
	int e = 0;
	r->entered = false;
	if (!r->spool.locked) {
		e = spool_enter(&r->spool, r->config->runtime_dir, !a->keep ? a->store.lock_ms :
				r->waited ? STILL_MS : BUSY_MS);
		r->entered = e == 0;
		r->waited = e == -ETIMEDOUT;
	}
	if (e < 0)
		say_debug(r->listener, "%s/marks: %s", r->config->runtime_dir, strerror(-e));
	recorder_look(r);
	return e == -ETIMEDOUT ? e : 0;
}

void recorder_leave(struct recorder *r)
{
	if (r->entered)
		spool_unlock(&r->spool);
	r->entered = false;
}

static void put_ids(struct recorder *r)
{
	r->ids.n = 0;
	jobs_put(&r->jobs, &r->ids);
	if (r->strays.n)
		buf_add(&r->ids, str_skip(buf_str(&r->strays), r->ids.n == 0));
}

/*
 * A tick that waited while another writer came first takes its own time; so the file goes on in
 * order. A group that lies in the future was written before the clock was set back.
 */
static int64_t group_time(const struct recorder *r, int64_t usec)
{
	int64_t now = realtime_us();
	if (usec && (usec > r->last_us || r->last_us > now))
		return usec;
	return r->sampled_us > r->last_us ? r->sampled_us : now;
}

int recorder_record(struct recorder *r, int64_t usec)
{
	if (!r->sampled)
		collect(r);
	r->sampled = false;
	usec = group_time(r, usec);
	put_ids(r);
	struct str ids = buf_str(&r->ids), marks = buf_str(&r->marks);
	if (!r->marks_only && r->summary.n > 0) {
		live_fill(&r->live, &r->sampler, usec, ids, marks);
		job_summary_take(&r->summary, &r->live.record, clock_ns(CLOCK_BOOTTIME));
		held_jobs_take(&r->held, &r->jobs, &r->live.record, HELD_APART);
	}
	int e = output_write(&r->out, usec, ids, marks);
	if (e < 0)
		load_jobs(r);		/* as they were before */
	r->samples++;
	r->last_us = usec;
	return e;
}

static int make_runtime_dir(const struct config *c)
{
	return mkdir(c->runtime_dir, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

void recorder_save_jobs(struct recorder *r)
{
	int e = make_runtime_dir(r->config);
	if (e == 0)
		e = jobs_save(&r->jobs, r->jobs_path);
	if (e < 0)
		say_warning(r->listener, "%s: %s; a restart forgets the jobs of this node",
			    r->jobs_path, strerror(-e));
	else
		jobs_changed(r);	/* by us */
}

int recorder_sample(struct recorder *r, int64_t usec)
{
	recorder_look(r);
	return recorder_record(r, usec);
}

int recorder_tick(struct recorder *r, int64_t usec, uint64_t missed)
{
	r->out.missed += missed;
	r->missed += missed;
	r->out.to.ahead = r->config->interval_us <= SOON_US;
	r->out.to.gather_us = r->config->interval_us < SOON_US ? SOON_US : 0;
	int e = recorder_sample(r, usec);
	r->out.to.ahead = false;
	return e;
}

int recorder_rotate(struct recorder *r)
{
	r->out.to.rotate = true;
	return recorder_sample(r, 0);
}

void recorder_print(struct recorder *r, struct buf *b)
{
	recorder_look(r);
	r->out.to.keep = true;		/* so that counters that begin at 0 are printed, too */
	collect(r);
	put_ids(r);
	output_print(&r->out, r->sampled_us, buf_str(&r->ids), buf_str(&r->marks), b);
}

void recorder_collect_live(struct recorder *r)
{
	recorder_look(r);
	begin_sample(r);
	output_note_schema(&r->out, sampler_collect_live(&r->sampler));
	put_ids(r);
}

int recorder_keep(struct recorder *r)
{
	r->sampled = true;
	return recorder_record(r, 0);
}
