/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - samples, jobs and marks become record groups of the archive */
#include "recorder/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "recorder/recorder_steps.h"
#include "base/clock.h"
#include "base/listener.h"
#include "formats/raw_write.h"

/* So long the agent waits for a hook that changes the jobs, and when it has waited already. */
#define BUSY_MS  1000
#define STILL_MS 20

static int make_runtime_dir(const struct config *c)
{
	if (mkdir(c->runtime_dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}

static bool is_dialect(const struct recorder *r, const char *dialect)
{
	return strcmp(r->config->dialect, dialect) == 0;
}

/* What readers of each dialect take for theirs. */
const char *recorder_version(const struct recorder *r)
{
	return is_dialect(r, "2.3") ? RAW_VERSION_23 : RAW_VERSION;
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
	struct buf unknown CLEANUP(buf_free) = { 0 };
	users_add_local(&r->sampler.shared.job_owners, str_of(config->scheduler_users), &unknown);
	r->live.host = &r->host;
	host_identify(&r->host, &r->sampler.root, config->hostname);
	r->out.maker = &recorder_maker;
	r->out.arg = r;
	archiver_open(&r->out, &(struct store_place){
		.dir = config->dir, .host = r->host.name, .boot_id = r->host.boot_id,
		.version = recorder_version(r), .free_floor = config->retain.free_floor,
		.listener = listener,
	});
	recorder_open_live(r);
	snprintf(r->jobs_path, sizeof(r->jobs_path), "%s/jobs", config->runtime_dir);
	return 0;
}

void recorder_close(struct recorder *r)
{
	recorder_settle(r);
	recorder_leave_unwritten(r);
	archiver_close(&r->out);
	recorder_close_live(r);
	spool_close(&r->spool);
	live_free(&r->live);
	sampler_free(&r->sampler);
	job_summary_free(&r->summary);
	jobs_free(&r->jobs);
	buf_free(&r->ended);
	buf_free(&r->schema);
	buf_free(&r->below);
	buf_free(&r->group);
	buf_free(&r->marks);
	buf_free(&r->ids);
}

void recorder_put_header(struct recorder *r, struct buf *b)
{
	host_put_header(b, &r->host, &r->sampler.root, &r->sampler.shared.topology,
			recorder_version(r));
	buf_add(b, buf_str(&r->below));
	buf_add(b, buf_str(&r->schema));
}

static void begin_sample(struct recorder *r)
{
	recorder_settle(r);	/* before the schema is another */
	counters_choose(&r->sampler, &r->jobs, !r->out.keep);
	r->sampled_us = realtime_us();
}

/* A header is due where what it says has changed. */
static void note_schema(struct recorder *r, bool new_schema)
{
	if (new_schema) {
		r->schema.n = 0;
		sampler_put_schema(&r->sampler, &r->schema);
	}
	if (!new_schema && !r->sampler.below_changed)
		return;
	r->below.n = 0;
	sampler_put_below(&r->sampler, &r->below);
	r->sampler.below_changed = false;
	r->new_schema = r->between.out.new_schema = true;
}

/* Without time for a sample, the schema is that of the row of the sample's cost. */
void recorder_collect(struct recorder *r)
{
	begin_sample(r);
	r->sampled = true;
	note_schema(r, (!r->marks_only && sampler_collect(&r->sampler)) || !r->schema.n);
}

void recorder_collect_live(struct recorder *r)
{
	begin_sample(r);
	note_schema(r, sampler_collect_live(&r->sampler));
}

void recorder_put_group(struct recorder *r, int64_t usec, struct buf *to)
{
	raw_put_group(to, usec, buf_str(&r->ids),
		      is_dialect(r, "2.3") ? str_of(r->host.name) : STR(""));
	buf_add(to, buf_str(&r->marks));
	sampler_put_restarts(&r->sampler, to);
	r->sampler.boot_us = (uint64_t)boottime_us(usec);
	sampler_put_rows(&r->sampler, to, archiver_take_failed(&r->out), r->missed);
	r->missed = 0;
}

/* Old readers take whole seconds only. */
static void make_group(struct recorder *r, int64_t usec)
{
	if (is_dialect(r, "1.0"))
		usec -= usec % 1000000;
	r->group.n = 0;
	recorder_put_group(r, usec, &r->group);
}

static void load_jobs(struct recorder *r)
{
	int e = jobs_load(&r->jobs, r->jobs_path);
	if (e < 0)
		say_warning(r->listener, "%s: %s; jobs that others began are not known here",
			    r->jobs_path, strerror(-e));
	if (r->out.keep)
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
	r->marks.n = r->ids.n = 0;
	if (jobs_changed(r))
		load_jobs(r);
}

int recorder_enter(struct recorder *r)
{
	struct spool *s = &r->spool;
	int e = 0;
	r->entered = false;
	if (s->dirfd >= 0 && spool_is_gone(s))
		spool_close(s);
	if (s->dirfd < 0)
		e = spool_open(s, r->config->runtime_dir);
	if (e == 0 && !s->locked) {
		e = spool_lock(s, !r->out.keep ? r->out.store.lock_ms :
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

void recorder_print(struct recorder *r, struct buf *b)
{
	recorder_look(r);
	r->out.keep = true;		/* so that counters that begin at 0 are printed, too */
	recorder_collect(r);
	make_group(r, r->sampled_us);
	recorder_put_header(r, b);
	buf_add(b, buf_str(&r->group));
}

/* What the jobs' own summaries are made of. */
static void follow_jobs(struct recorder *r, int64_t usec)
{
	const struct record_source source = live_records(&r->live);
	const struct record *sample;
	live_fill(&r->live, &r->sampler, usec, buf_str(&r->ids), buf_str(&r->marks));
	while (record_next(&source, &sample) > 0)
		job_summary_take(&r->summary, sample, clock_ns(CLOCK_BOOTTIME));
}

/*
 * One sample, one group, of the marks and ids that were made. A tick that waited while another
 * writer came first takes its own time; so the file goes on in order. What lies in the future was
 * written before the clock was set back.
 */
int recorder_record(struct recorder *r, int64_t usec)
{
	if (!r->sampled)
		recorder_collect(r);
	r->sampled = false;
	int64_t now = realtime_us();
	if (usec == 0 || (usec <= r->last_us && r->last_us <= now))
		usec = r->sampled_us > r->last_us ? r->sampled_us : now;
	if (!r->marks_only && r->summary.n > 0)
		follow_jobs(r, usec);
	make_group(r, usec);
	int e = recorder_write(r, usec);
	if (e < 0)
		load_jobs(r);		/* they are what they were */
	r->samples++;
	r->last_us = usec;
	return e;
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

void recorder_add_mark(struct recorder *r, const char *verb, struct str text)
{
	struct buf mark CLEANUP(buf_free) = { 0 };
	buf_addf(&mark, "%s " STR_FMT, verb, STR_ARG(text));
	raw_put_mark(&r->marks, buf_str(&mark));
}

int recorder_sample(struct recorder *r, int64_t usec)
{
	recorder_look(r);
	recorder_collect(r);
	jobs_put(&r->jobs, &r->ids);
	return recorder_record(r, usec);
}

int recorder_rotate(struct recorder *r)
{
	r->out.rotate = true;
	return recorder_sample(r, 0);
}
