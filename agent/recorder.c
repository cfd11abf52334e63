/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - samples, jobs and marks become record groups of the archive */
#include "agent/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agent/recorder_group.h"
#include "base/clock.h"
#include "base/log.h"
#include "formats/raw_marks.h"
#include "formats/raw_write.h"

static int make_runtime_dir(const struct config *c)
{
	if (mkdir(c->runtime_dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}

int recorder_open(struct recorder *r, const struct config *config, char *error, size_t size)
{
	memset(r, 0, sizeof(*r));
	r->config = config;
	r->lock_ms = 1000;
	r->archive = (struct archive){ .dirfd = -1, .lockfd = -1, .fd = -1 };
	int e = sampler_init(&r->sampler, config->root, config->use, config->deadline_us * 1000);
	if (e < 0) {
		snprintf(error, size, "%s: %s", config->root, strerror(-e));
		return e;
	}
	host_identify(&r->host, &r->sampler.root, config->hostname);
	snprintf(r->jobs_path, sizeof(r->jobs_path), "%s/jobs", config->runtime_dir);
	return 0;
}

void recorder_close(struct recorder *r)
{
	if (r->pending.n)
		log_warning("%zu record groups that waited in memory are lost", r->pending.n);
	sampler_free(&r->sampler);
	archive_close(&r->archive);
	summary_free(&r->summary);
	buf_free(&r->ended);
	buf_free(&r->schema);
	buf_free(&r->header);
	buf_free(&r->group);
	buf_free(&r->marks);
	buf_free(&r->ids);
	pending_clear(&r->pending);
}

/* What readers of each dialect take for theirs. */
static const char *version(const struct recorder *r)
{
	return r->config->dialect_23 ? "2.3.5" : "1.0.2";
}

static void make_header(struct recorder *r)
{
	r->header.n = 0;
	host_put_header(&r->header, &r->host, &r->sampler.root, &r->sampler.shared.topology,
			version(r));
	buf_add(&r->header, buf_str(&r->schema));
}

static bool collect(struct recorder *r)
{
	bool changed = sampler_collect(&r->sampler);
	if (!changed && r->schema.n)
		return false;
	r->schema.n = 0;
	sampler_put_schema(&r->sampler, &r->schema);
	return true;
}

static void make_group(struct recorder *r, int64_t usec)
{
	r->group.n = 0;
	raw_put_group(&r->group, usec, buf_str(&r->ids),
		      r->config->dialect_23 ? str_of(r->host.name) : STR(""));
	buf_add(&r->group, buf_str(&r->marks));
	sampler_put_restarts(&r->sampler, &r->group);
	sampler_put_rows(&r->sampler, &r->group, r->failed, r->missed);
	r->failed = r->missed = 0;
}

/* What is wrong with the jobs stops no sample. */
static void load_jobs(struct recorder *r)
{
	int e = jobs_load(&r->jobs, r->jobs_path);
	if (e < 0)
		log_warning("%s: %s; jobs that others began are not known here", r->jobs_path,
			    strerror(-e));
	if (r->keep)
		summary_keep(&r->summary, &r->jobs);
}

void recorder_print(struct recorder *r, struct buf *b)
{
	int64_t now = realtime_us();
	load_jobs(r);
	counters_choose(&r->sampler, &r->jobs, false);
	collect(r);
	make_header(r);
	make_group(r, now);
	buf_add(b, buf_str(&r->header));
	buf_add(b, buf_str(&r->group));
}

/* Somebody removed the folder below us, or its server forgot it (ESTALE): begin again. */
static bool folder_is_gone(const struct archive *a)
{
	struct stat st;
	return a->dirfd >= 0 && (fstat(a->dirfd, &st) < 0 || st.st_nlink == 0);
}

static int lock(struct recorder *r)
{
	struct archive *a = &r->archive;
	if (folder_is_gone(a))
		archive_close(a);
	if (a->dirfd < 0) {
		int e = archive_open(a, r->config->dir, r->host.name);
		if (e < 0)
			return e;
	}
	int e = archive_lock(a, r->lock_ms);
	r->locked = e == 0;
	if (e == -ETIMEDOUT) {
		if (!r->keep)	/* the agent says so when it keeps its group */
			log_warning("%s/%s/lock is held by another process for over %d ms",
				    r->config->dir, r->host.name, r->lock_ms);
		return 0;
	}
	return e;
}

void recorder_leave(struct recorder *r)
{
	if (r->locked)
		archive_unlock(&r->archive);
	r->locked = false;
}

/*
 * The lock, current as others left it, and the jobs if others wrote. Where the lock cannot be had
 * the agent keeps its group in memory; a single run appends without it: that is one write(2) all
 * the same, and a mark that is lost is worse than a tail that is not mended. An archive that could
 * be written once is waited for, whatever is wrong with it now.
 */
int recorder_enter(struct recorder *r)
{
	bool foreign = false;
	int e = lock(r);
	if (e == 0 && (r->locked || !r->keep))
		e = archive_refresh(&r->archive, &foreign);
	if (e == 0 && foreign) {
		load_jobs(r);
		if (r->archive.last_us)
			r->last_us = r->archive.last_us;
	}
	r->unwritable = e < 0 ? e : r->locked || !r->keep ? 0 : -ETIMEDOUT;
	r->marks.n = r->ids.n = 0;
	if (e < 0)
		recorder_leave(r);
	return r->keep && r->samples ? 0 : e;
}

static int begin_file(struct recorder *r, int64_t usec)
{
	make_header(r);
	int e = archive_begin(&r->archive, usec, buf_str(&r->header), buf_str(&r->group));
	if (e == 0) {
		r->rotate = false;
		r->new_file = true;
	}
	return e;
}

/* A group that is written is not written again: a disk that cannot sync is only told. */
static void sync_marks(const struct recorder *r)
{
	int e = archive_sync(&r->archive);
	if (e < 0)
		log_warning("%s/%s: marks may not outlive a power cut: %s", r->config->dir,
			    r->host.name, strerror(-e));
}

/* What waited becomes a file of its own, since its schema may change on the way. */
static int flush(struct recorder *r)
{
	struct pending *p = &r->pending;
	if (p->n == 0)
		return 0;
	int e = archive_begin(&r->archive, p->part[0].usec, STR(""),
			      str_skip(buf_str(&p->text), 1));
	if (e < 0)
		return e;
	log_notice("%zu record groups that waited in memory are written, %llu were lost",
		   p->n, (unsigned long long)p->lost);
	pending_clear(p);
	p->lost = 0;
	r->rotate = true;
	sync_marks(r);	/* there may be some in it */
	return 0;
}

static int write_group(struct recorder *r, int64_t usec)
{
	struct archive *a = &r->archive;

	archive_check_floor(a, r->config->retain.free_floor);
	int e = flush(r);
	if (e < 0)
		return e;
	if (!r->rotate && archive_covers(a, str_of(version(r)), buf_str(&r->schema),
					str_of(r->host.boot_id)) &&
	    usec < a->rotate_at_us)
		return archive_append(a, buf_str(&r->group));
	return begin_file(r, usec);
}

static const char *reason(const struct recorder *r, int why)
{
	if (!r->locked)
		return "its lock is held by another process";
	if (why == -ENOSPC && r->archive.below_floor)
		return "free space is below free-floor";
	return strerror(-why);
}

static int keep_group(struct recorder *r, int64_t usec, bool new_schema, int why)
{
	struct buf header CLEANUP(buf_free) = { 0 };

	r->failed++;
	if (!r->full)
		log_error("%s/%s: %s; the newest record groups wait in memory", r->config->dir,
			  r->host.name, reason(r, why));
	r->full = true;
	if (r->pending.n == 0 || new_schema) {
		make_header(r);
		buf_add_char(&header, '\n');
		buf_add(&header, buf_str(&r->header));
	}
	pending_add(&r->pending, usec, buf_str(&header), buf_str(&r->group));
	return 0;
}

/*
 * One sample, one group; with the lock held and marks and ids made. A tick that waited for the lock
 * while another writer came first takes its own time; so the file goes on in order. What lies in
 * the future was written before the clock was set back.
 */
int recorder_record(struct recorder *r, int64_t usec)
{
	int64_t now = realtime_us();
	if (usec == 0 || (usec <= r->last_us && r->last_us <= now))
		usec = now;
	counters_choose(&r->sampler, &r->jobs, !r->keep);
	bool new_schema = collect(r);
	summary_take(&r->summary, &r->sampler);
	make_group(r, usec);
	if (new_schema)
		r->archive.trusted = false;
	int e = r->unwritable ? r->unwritable : write_group(r, usec);
	if (e == 0 && r->marks.n)
		sync_marks(r);
	if (e == 0) {
		if (r->full)
			log_notice("%s/%s: writing again", r->config->dir, r->host.name);
		r->full = false;
	} else if (r->keep) {
		e = keep_group(r, usec, new_schema, e);
	}
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
		log_warning("%s: %s; a restart forgets the jobs of this node", r->jobs_path,
			    strerror(-e));
}

void recorder_add_mark(struct recorder *r, const char *verb, struct str text)
{
	struct buf mark CLEANUP(buf_free) = { 0 };
	buf_addf(&mark, "%s " STR_FMT, verb, STR_ARG(text));
	raw_put_mark(&r->marks, buf_str(&mark));
}

int recorder_sample(struct recorder *r, int64_t usec)
{
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	jobs_put(&r->jobs, &r->ids);
	e = recorder_record(r, usec);
	recorder_leave(r);
	return e;
}

/* What readers take for marks of jobs or of counters. */
static bool is_our_mark(struct str text)
{
	struct str word;
	return !str_take_word(&text, &word) || str_eq(word, STR("begin")) ||
	       str_eq(word, STR("end")) || str_eq(word, STR("attributes")) ||
	       str_starts(word, STR(RAW_MARK_COUNTERS));
}

int recorder_mark(struct recorder *r, struct str text)
{
	if (is_our_mark(text))
		return -EINVAL;
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	jobs_put(&r->jobs, &r->ids);
	raw_put_mark(&r->marks, text);
	e = recorder_record(r, 0);
	recorder_leave(r);
	return e;
}

int recorder_rotate(struct recorder *r)
{
	r->rotate = true;
	return recorder_sample(r, 0);
}
