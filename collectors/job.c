/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job - what each job of this node used, from its control group, whatever else runs on the node
 *
 * A row needs all keys that other rows have. Those that a kernel or the scheduler's choice of
 * controllers lacks, all jobs of a node lack. A job's group is gone with the job: what it used
 * between the last sample and its end is in no row, so a scheduler's epilog comes too late.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "collectors/job_dirs.h"
#include "collectors/job_keys.h"

#define JOB_FILES 10	/* that either table of sources names */
#define NO_LIMIT 9223372036854771712u	/* as v1 says it with pages of 4 KB */

struct state {
	struct job_dirs jobs;
	size_t kept;	/* of so many jobs files may stay open */
};

/* From where the key before it was found on, then from the start. */
static bool find_line(struct str text, struct str *rest, const char *key, uint64_t *ret)
{
	struct str line, name = str_of(key);
	for (int again = 0; again < 2; again++) {
		while (str_take_line(rest, &line))
			if (str_take_prefix(&line, name) && str_peek(line) == ' ')
				return str_take_u64(&line, ret);
		*rest = text;
	}
	return false;
}

/* No line is no I/O: the sum is known to be 0. */
static uint64_t sum(struct str text, const char *key)
{
	struct str line;
	size_t n = strlen(key);
	uint64_t v, sum = 0;
	while (str_take_line(&text, &line)) {
		const char *at = memmem(line.p, line.n, key, n);
		if (!at)
			continue;
		line = str_skip(line, (size_t)(at - line.p) + n);
		if (str_take_u64(&line, &v))
			sum += v;
	}
	return sum;
}

static bool find_value(const struct source *src, struct str text, struct str *rest, uint64_t *ret)
{
	switch (src->how) {
	case LINE:
		return find_line(text, rest, src->key, ret);
	case SUM:
		*ret = sum(text, src->key);
		return true;
	case NUMBER:
		*ret = NO_LIMIT;
		return str_take_u64(&text, ret) || str_eq(str_trim(text), STR("max"));
	}
	return false;
}

static int read_file(struct sample *s, const struct job_dir *job, const char *controller,
		     const char *file, bool keep, struct str *ret)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s/%s%s%s/%s", job->mount, controller,
			 *controller ? "/" : "", job->dir, file);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int r = sample_read(s, path, ret);
	if (!keep)
		files_forget(&s->files, path);
	if (r == -ENOENT && strcmp(controller, "cpuacct") == 0)
		return read_file(s, job, "cpu,cpuacct", file, keep, ret);
	return r;
}

static void fill_row(struct sample *s, struct row row, const struct job_dir *job, bool keep)
{
	const struct source *src = job->v2 ? v2 : v1, *before = NULL;
	size_t n = job->v2 ? ARRAY_SIZE(v2) : ARRAY_SIZE(v1);
	struct str text = { 0 }, rest = { 0 };
	uint64_t v;
	int r = 0;

	for (const struct source *end = src + n; src < end; before = src++) {
		if (!before || strcmp(before->file, src->file) != 0) {
			r = read_file(s, job, src->controller, src->file, keep, &text);
			rest = text;
		}
		if (r < 0 || !find_value(src, text, &rest, &v))
			continue;
		v *= src->times ? src->times : 1;
		row_set(row, src->metric, src->per ? v / src->per : v);
	}
}

static void collect_job(struct sample *s, struct state *st, size_t i)
{
	struct job_dir *job = &st->jobs.job[i];
	struct row row = sample_row(s, str_of(job->device));
	fill_row(s, row, job, i < st->kept);
	if (*row.present && (*row.present & job->keys) == job->keys) {
		job->keys = *row.present;
		return;
	}
	sample_drop_row(s);	/* it ended, maybe while we read */
	st->jobs.stale = true;
}

static void end(void *state)
{
	struct state *st = state;
	job_dirs_free(&st->jobs);
}

/* A quarter of what may be open; the files of more jobs are opened each time. */
static size_t jobs_kept_open(void)
{
	struct rlimit limit = { 0 };
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur / 4 / JOB_FILES;
}

static int collect(struct sample *s)
{
	struct state *st = sample_state(s, sizeof(*st));
	if (!s->end_state) {
		s->end_state = end;
		st->kept = jobs_kept_open();
	}
	job_dirs_look(&st->jobs, s);
	for (size_t i = 0; i < st->jobs.n; i++)
		if (!st->jobs.job[i].bare)
			collect_job(s, st, i);
	return s->n_rows || st->jobs.scheduler ? 0 :
		sample_absent(s, "no scheduler keeps jobs in control groups of this node");
}

static void put_sources(struct buf *to, const char *version, const struct source *src, size_t n,
			size_t key)
{
	for (size_t i = 0; i < n; i++) {
		if (src[i].metric != key)
			continue;
		buf_addf(to, "%s%s %s", to->n ? "; " : "", version, src[i].file);
		struct str name = str_trim(str_of(src[i].key ? src[i].key : ""));
		if (name.n)
			buf_addf(to, " " STR_FMT, STR_ARG(name));
	}
}

static void where(const struct collector *c, size_t key, struct buf *to)
{
	(void)c;
	put_sources(to, "v2", v2, ARRAY_SIZE(v2), key);
	put_sources(to, "v1", v1, ARRAY_SIZE(v1), key);
}

const struct collector job_collector = {
	.name    = "job",
	.summary = "what each job used",
	.source  = "control groups of Slurm, OpenPBS, Torque, HTCondor, LSF and Flux",
	.device  = "the job's id; the slot's name where HTCondor's .job.ad cannot be read",
	.collect = collect,
	.where   = where,
	METRICS(metrics),
};
