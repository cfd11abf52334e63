/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - sample this node and write the sample to the archive as one record */
#include "recorder/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "base/listener.h"
#include "formats/raw_write.h"
#include "recorder/peaks.h"

#define LOCK_WAIT_MS       1000	/* how long the agent waits for a hook that holds the jobs lock */
/* how long the agent waits if its last wait for the jobs lock has timed out */
#define LOCK_RETRY_WAIT_MS 20

/*
 * us; at shorter intervals, hand samples to the writer process in batches, one every BATCH_US. Up
 * to this interval, do not wait for the writer process: a write error is reported with the next
 * sample.
 */
#define BATCH_US 10000000

static void recorder_close_counters(struct sampler *s, const struct jobs *j)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	buf_add(&why, STR("counters released to job "));
	jobs_put_released(j, &why);
	buf_add_char(&why, '\0');
	sampler_hold_off(s, HOLDS_HARDWARE, why.p);
}

/*
 * If the process takes only one sample, open no counters, since there is no earlier reading to
 * subtract.
 */
void counters_choose(struct sampler *s, const struct jobs *j, bool single)
{
	if (single)
		sampler_hold_off(s, HOLDS_COUNTERS, "a single sample has no earlier reading to "
				 "subtract; run nodometerd");
	else if (jobs_any_released(j))
		recorder_close_counters(s, j);
	else if (s->held_from != HOLDS_NOTHING)
		sampler_hold_off(s, HOLDS_NOTHING, "");
}

static bool recorder_is_dialect(const struct recorder *r, const char *dialect)
{
	return strcmp(r->config->dialect, dialect) == 0;
}

const char *recorder_version(const struct recorder *r)
{
	return recorder_is_dialect(r, "2.3") ? RAW_VERSION_23 : RAW_VERSION;
}

void recorder_put_header(struct recorder *r, struct buf *b)
{
	host_put_header(b, &r->host, &r->sampler.root, &r->sampler.shared.topology,
			recorder_version(r));
	peaks_put_header(b, &r->sampler.root, r->config->dir, r->host.name, recorder_is_agent(r));
	buf_add(b, buf_str(&r->below));
	buf_add(b, buf_str(&r->schema));
}

/*
 * Append a record group without its sample. It has the row of type nodometer, because readers take
 * a record group without this row for an incomplete one.
 */
static void recorder_put_marks_only(struct buf *b, struct str group)
{
	struct str line, rest = group, first, second;
	buf_add_char(b, '\n');
	str_take_line(&rest, &line);	/* skips the blank line */
	for (bool titled = false; str_take_line(&rest, &line); titled = true)
		if (!titled || str_peek(line) == '%')
			buf_addf(b, STR_FMT "\n", STR_ARG(line));
	if (!str_take_prefix(&line, STR("nodometer - ")))
		return;
	str_take_word(&line, &first);
	str_take_word(&line, &second);
	buf_addf(b, "nodometer - " STR_FMT " " STR_FMT " 1", STR_ARG(first), STR_ARG(second));
	str_take_word(&line, &first);
	buf_addf(b, STR_FMT "\n", STR_ARG(line));
}

static void recorder_on_put_header(void *arg, struct buf *b)
{
	recorder_put_header(arg, b);
}

static void recorder_open_archiver(struct recorder *r)
{
	static const struct archiver_maker maker = { recorder_on_put_header,
						    recorder_put_marks_only };
	const struct config *c = r->config;
	r->to.maker = &maker;
	r->to.arg = r;
	archiver_open(&r->to, &(struct store_place){
		.dir = c->dir, .host = r->host.name, .boot_id = r->host.boot_id,
		.version = recorder_version(r), .free_floor = c->retain.free_floor,
		.listener = r->listener,
	});
}

static int recorder_open_root(struct files *root, const struct config *c, char *error, size_t size)
{
	int e = files_open_root(root, c->root);
	if (e < 0)
		snprintf(error, size, "%s: %s", c->root, strerror(-e));
	return e;
}

static void recorder_open_in(struct recorder *r, const struct files *root,
			     const struct config *config, const struct listener *listener)
{
	memset(r, 0, sizeof(*r));
	r->config = config;
	r->listener = listener;
	r->spool = (struct spool){ .dirfd = -1, .lockfd = -1, .listener = listener };
	sampler_init_in(&r->sampler, root, config->use, config->deadline_us * 1000);
	r->sampler.listener = listener;
	sampler_add_named(&r->sampler, &config->named);
	sampler_set_live(&r->sampler, str_of(config->live_types));
	struct buf unknown CLEANUP(buf_free) = { 0 };
	users_add_local(&r->sampler.shared.job_owners, str_of(config->scheduler_users), &unknown);
	host_identify(&r->host, &r->sampler.root, config->hostname);
	recorder_open_archiver(r);
	snprintf(r->jobs_path, sizeof(r->jobs_path), "%s/jobs", config->runtime_dir);
}

int recorder_open(struct recorder *r, const struct config *config,
		  const struct listener *listener, char *error, size_t size)
{
	struct files root;
	int e = recorder_open_root(&root, config, error, size);
	if (e == 0)
		recorder_open_in(r, &root, config, listener);
	return e;
}

void recorder_set_programs(struct recorder *r, struct programs *programs)
{
	r->persistent.programs = programs;
	r->sampler.shared.programs = programs;
}

static void recorder_report_waiting(const struct recorder *r)
{
	const struct unwritten *p = &r->to.unwritten;
	if (p->n && p->is_mapped)
		say_notice(r->listener, "%zu record groups wait in %s/" SPOOL_GROUPS " for the "
			   "next start", p->n, r->config->runtime_dir);
	else if (p->n)
		say_warning(r->listener, "%zu record groups that waited in memory are lost", p->n);
}

void recorder_close(struct recorder *r)
{
	archiver_settle(&r->to);
	recorder_report_waiting(r);
	archiver_close(&r->to);
	spool_close(&r->spool);
	live_free(&r->live);
	sampler_free(&r->sampler);
	job_summary_free(&r->summary);
	jobs_free(&r->jobs);
	buf_free(&r->ended);
	buf_free(&r->marks);
	buf_free(&r->extra_jobs);
	buf_free(&r->ids);
	buf_free(&r->schema);
	buf_free(&r->below);
	buf_free(&r->group);
}

void recorder_set_lock_timeout(struct recorder *r, int lock_ms)
{
	r->to.store.lock_ms = lock_ms;
}

/*
 * Open the file of record groups that are waiting to be written. Returns 0, -EAGAIN if a running
 * agent owns the file, or -errno.
 */
static int recorder_open_waiting(struct recorder *r, bool make)
{
	int e = spool_open(&r->spool, r->config->runtime_dir);
	int fd = e < 0 ? e : spool_open_groups(&r->spool, make);
	return fd < 0 ? fd : unwritten_open(&r->to.unwritten, fd);
}

void recorder_keep_groups(struct recorder *r)
{
	const struct unwritten *u = &r->to.unwritten;
	int e = u->is_mapped || u->n ? 0 : recorder_open_waiting(r, true);
	if (e < 0)
		say_warning(r->listener, "%s/" SPOOL_GROUPS ": %s; waiting record groups would be "
			    "lost in a restart", r->config->runtime_dir, strerror(-e));
}

int recorder_write_left(struct recorder *r)
{
	int e = recorder_is_agent(r) ? -EAGAIN : recorder_open_waiting(r, false);
	if (e < 0)
		return e == -ENOENT || e == -EAGAIN ? 0 : e;
	e = archiver_settle(&r->to);
	unwritten_clear(&r->to.unwritten);
	return e;
}

int recorder_serve(struct recorder *r, int lock_ms)
{
	struct archiver *a = &r->to;
	a->keep = a->uses_writer = true;
	recorder_keep_groups(r);
	recorder_set_lock_timeout(r, lock_ms);
	int e = writer_start(&a->writer, &a->store);
	if (e < 0)
		say_error(r->listener, "cannot start the process that writes the archive: %s",
			  strerror(-e));
	return e;
}

int recorder_reopen(struct recorder *r, char *error, size_t size)
{
	struct unwritten *waiting = &r->to.unwritten, unwritten = *waiting;
	struct job_summaries summary = r->summary;
	const struct recorder_persistent persistent = r->persistent;
	const struct archiver_counts counts = r->to.counts;
	int64_t cpu_ns = r->sampler.cpu_ns;
	int lock_ms = r->to.store.lock_ms;
	struct files root;

	int e = recorder_open_root(&root, r->config, error, size);
	if (e < 0)
		return e;
	if (waiting->n)
		*waiting = (struct unwritten){ .n = 0 };
	job_summary_forget_types(&summary);
	r->summary = (struct job_summaries){ .n = 0 };
	recorder_close(r);
	recorder_open_in(r, &root, r->config, r->listener);
	if (unwritten.n)
		*waiting = unwritten;
	waiting->mixed = unwritten.n > 0;
	waiting->lost = unwritten.lost;
	waiting->in_flight = 0;
	r->to.begun = persistent.samples > 0;
	r->to.counts = counts;
	r->summary = summary;
	r->persistent = persistent;
	recorder_set_programs(r, persistent.programs);
	/* without this, the next sample's cost would include the CPU time of all earlier samples */
	r->sampler.cpu_ns = cpu_ns;
	if (recorder_serve(r, lock_ms) < 0)
		say_notice(r->listener, "retrying with the next record group");
	return 0;
}

int recorder_settle(struct recorder *r)
{
	return archiver_settle(&r->to);
}

struct recorder_status recorder_status(const struct recorder *r)
{
	const struct archiver *a = &r->to;
	return (struct recorder_status){
		.samples = r->persistent.samples, .missed = r->persistent.missed,
		.ended_later = r->persistent.ended_later, .last_us = r->persistent.last_us,
		.waiting = archiver_waiting(a), .lost = a->unwritten.lost,
		.marks_lost = r->persistent.marks_lost,
		.size = a->stored.size, .moved = a->stored.moved,
		.removed_us = a->counts.removed_us,
		.hangs_ns = a->full && a->writer.busy_ns ? monotonic_ns() - a->writer.busy_ns : 0,
		.stopped = a->full ? a->why : NULL,
	};
}

bool recorder_wants_tidy(struct recorder *r)
{
	struct archiver *a = &r->to;
	bool closed = a->new_file;
	a->new_file = false;
	return closed || a->stored.below_floor;
}

/*
 * Update the header if the schema or the "$below" lines have changed. A "$below" line lists the
 * devices that a device is built on.
 */
static void recorder_update_header(struct recorder *r, bool new_schema)
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
	r->header_turn++;
	r->to.new_schema = true;
}

static void recorder_begin_sample(struct recorder *r)
{
	counters_choose(&r->sampler, &r->jobs, !recorder_is_agent(r));
	r->sampled_us = realtime_us();
}

/*
 * Take the sample and update the header. With .marks_only, there is no time to sample other types:
 * the schema then has only type nodometer, which reports what sampling costs.
 */
static void recorder_collect(struct recorder *r)
{
	recorder_begin_sample(r);
	r->sampled = true;
	recorder_update_header(r, (!r->marks_only && sampler_collect(&r->sampler)) || !r->schema.n);
}

/*
 * Load the jobs from the state file. After an error, recorder_look() tries again, even if the file
 * is unchanged.
 */
static void recorder_load_jobs(struct recorder *r)
{
	int e = jobs_load(&r->jobs, r->jobs_path);
	if (e < 0)
		r->jobs_file.inode = 0;
	if (e < 0 && e != r->jobs_file.error)
		say_warning(r->listener, "%s: %s; jobs that other processes began are unknown here",
			    r->jobs_path, strerror(-e));
	r->jobs_file.error = e;
	if (recorder_is_agent(r))
		job_summary_keep(&r->summary, &r->jobs);
}

/* Return true if another process has changed the state file since this process read or saved it. */
static bool recorder_jobs_changed(struct recorder *r)
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
	r->marks.n = r->extra_jobs.n = 0;
	if (recorder_jobs_changed(r))
		recorder_load_jobs(r);
}

int recorder_lock(struct recorder *r, int agent_ms)
{
	return spool_enter(&r->spool, r->config->runtime_dir,
			   recorder_is_agent(r) ? agent_ms : r->to.store.lock_ms);
}

/*
 * If a job has reserved the counters, take the sample under the lock: if that job ends now, its
 * counters must be open for its last sample.
 */
int recorder_enter(struct recorder *r, bool sample)
{
	int e = 0;
	recorder_look(r);
	if (sample && !jobs_any_released(&r->jobs))
		recorder_collect(r);
	r->entered = false;
	if (!r->spool.locked) {
		e = recorder_lock(r, r->lock_timed_out ? LOCK_RETRY_WAIT_MS : LOCK_WAIT_MS);
		r->entered = e == 0;
		r->lock_timed_out = e == -ETIMEDOUT;
	}
	if (e < 0)
		say_debug(r->listener, "%s/marks: %s", r->config->runtime_dir, strerror(-e));
	recorder_look(r);
	r->sampled &= e != -ETIMEDOUT;
	return e == -ETIMEDOUT ? e : 0;
}

void recorder_leave(struct recorder *r)
{
	if (r->entered)
		spool_unlock(&r->spool);
	r->entered = false;
}

static void recorder_list_ids(struct recorder *r)
{
	r->ids.n = 0;
	jobs_put(&r->jobs, &r->ids);
	if (r->extra_jobs.n)
		buf_add(&r->ids, str_skip(buf_str(&r->extra_jobs), r->ids.n == 0));
}

/*
 * Return the TIME of the record group. Times in a file ascend: use usec if it is set and later than
 * the last group of this process, else the time of the sample if that is later, else the present
 * time. If the last group is in the future, the clock was set back, and usec is used.
 */
static int64_t recorder_group_time(const struct recorder *r, int64_t usec)
{
	int64_t now = realtime_us();
	if (usec && (usec > r->persistent.last_us || r->persistent.last_us > now))
		return usec;
	return r->sampled_us > r->persistent.last_us ? r->sampled_us : now;
}

static void recorder_begin_group(struct recorder *r, int64_t usec, struct str ids, struct buf *b)
{
	raw_put_group(b, usec, ids, recorder_is_dialect(r, "2.3") ? str_of(r->host.name) : STR(""));
	r->sampler.boot_us = (uint64_t)boottime_us(usec);
}

void recorder_put_live_group(struct recorder *r, int64_t usec, struct buf *b)
{
	int64_t cpu_ns = r->sampler.cpu_ns;
	recorder_begin_group(r, usec, buf_str(&r->ids), b);
	sampler_put_rows(&r->sampler, b, 0, 0);
	r->sampler.cpu_ns = cpu_ns;
}

/*
 * Format a record group. Times are whole seconds in dialect 1.0, whose readers accept nothing else.
 */
static void recorder_format_group(struct recorder *r, int64_t usec, struct str ids,
				  struct str marks)
{
	if (recorder_is_dialect(r, "1.0"))
		usec -= usec % 1000000;
	r->group.n = 0;
	recorder_begin_group(r, usec, ids, &r->group);
	buf_add(&r->group, marks);
	sampler_put_rows(&r->sampler, &r->group, archiver_take_failed(&r->to),
			 r->persistent.unreported);
	r->persistent.unreported = 0;
}

int recorder_record(struct recorder *r, int64_t usec)
{
	if (!r->sampled)
		recorder_collect(r);
	r->sampled = false;
	usec = recorder_group_time(r, usec);
	recorder_list_ids(r);
	struct str ids = buf_str(&r->ids), marks = buf_str(&r->marks);
	if (!r->marks_only && r->summary.n > 0) {
		live_fill(&r->live, &r->sampler, usec, ids, marks);
		job_summary_take(&r->summary, &r->jobs, &r->live.record,
				 clock_ns(CLOCK_BOOTTIME));
	}
	recorder_format_group(r, usec, ids, marks);
	int e = archiver_put(&r->to, usec, buf_str(&r->group), marks.n > 0);
	/* undo the changes to jobs that could not be recorded: load the state file again */
	if (e < 0 && marks.n)
		recorder_load_jobs(r);
	r->persistent.samples++;
	r->persistent.last_us = usec;
	return e;
}

static int recorder_make_runtime_dir(const struct config *c)
{
	return mkdir(c->runtime_dir, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

void recorder_save_jobs(struct recorder *r)
{
	int e = recorder_make_runtime_dir(r->config);
	if (e == 0)
		e = jobs_save(&r->jobs, r->jobs_path);
	if (e < 0)
		say_warning(r->listener, "%s: %s; the jobs of this node would be lost in a restart",
			    r->jobs_path, strerror(-e));
	else
		/* this process made the change: do not load the jobs again */
		recorder_jobs_changed(r);
}

int recorder_sample(struct recorder *r, int64_t usec)
{
	recorder_look(r);
	return recorder_record(r, usec);
}

int recorder_tick(struct recorder *r, int64_t usec, uint64_t missed)
{
	r->persistent.unreported += missed;
	r->persistent.missed += missed;
	r->to.no_wait = r->config->interval_us <= BATCH_US;
	r->to.batch_us = r->config->interval_us < BATCH_US ? BATCH_US : 0;
	r->marks.n = r->extra_jobs.n = 0;
	if (!r->jobs_file.watched || r->jobs_file.changed || r->jobs_file.error < 0)
		recorder_look(r);
	r->jobs_file.changed = false;
	int e = recorder_record(r, usec);
	r->to.no_wait = false;
	return e;
}

int recorder_rotate(struct recorder *r)
{
	r->to.rotate = true;
	return recorder_sample(r, 0);
}

void recorder_print(struct recorder *r, struct buf *b)
{
	recorder_look(r);
	/* as an agent does, also print counters that start at 0 when they are opened */
	r->to.keep = true;
	recorder_collect(r);
	recorder_list_ids(r);
	recorder_format_group(r, r->sampled_us, buf_str(&r->ids), buf_str(&r->marks));
	recorder_put_header(r, b);
	buf_add(b, buf_str(&r->group));
}

void recorder_collect_live(struct recorder *r)
{
	recorder_look(r);
	recorder_begin_sample(r);
	recorder_update_header(r, sampler_collect_live(&r->sampler));
	recorder_list_ids(r);
}

int recorder_keep(struct recorder *r)
{
	r->sampled = true;
	return recorder_record(r, 0);
}
