/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c - find runs of jobs in the files of one host */
#include "report/read/read.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "archive/index.h"
#include "base/buf.h"
#include "base/vec.h"
#include "report/read/node_batch.h"

#define SECOND 1000000
#define TOLD_MAX 5		/* number of defects per file that are reported one by one */

/*
 * A week in seconds. Do not read files from a time that is farther than this from the job's known
 * runs. A requeued job may run on other nodes days later, whereas a scheduler reuses a job id only
 * after months.
 */
#define WINDOW (7 * 86400)
#define OTHERS_MAX 4096
/* number of jobs that node_read_jobs() holds open at once, at about 1/4 MB for each node */
#define OPEN_MAX   1024

/*
 * State of reading the files of a host. The files may also have records of other nodes. Each node
 * has a struct node_batch, which searches the node's records; .batch[0] is that of the host.
 */
struct host_files {
	/* the query, or the first of many queries, which have the same settings */
	const struct node_query *q;
	const char *name;
	const struct runs *elsewhere;
	const struct read_listener *listener;
	struct node_batch_jobs jobs;
	struct node_batch **batch;
	size_t n, cap;
	struct node_read *ret;
	const struct read_jobs *many;	/* NULL in node_read(), which has a single query */
	bool *done;		/* for each job of .many: whether its runs were delivered */
};

/* Defects of a file; they are only reported if the file has records of the requested job. */
struct defects {
	const char *path;
	const struct input *in;
	struct buf text;
	unsigned n;
	uint64_t bad_lines;
	bool torn;
};

static void report_defect(const struct read_listener *l, const char *path, const char *why)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_addf(&text, "%s: %s", path, why);
	l->defect(l->arg, buf_str(&text));
}

static void keep_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct defects *d = arg;
	d->bad_lines += kind == RECORD_BAD_LINE;
	d->torn |= kind == RECORD_TORN;
	if (kind == RECORD_UNREADABLE && input_error(d->in))
		return;		/* read_records() reports the error of the input */
	if (d->n++ < TOLD_MAX)
		buf_addf(&d->text, "%s:%llu: %s\n", d->path, (unsigned long long)line, what);
}

static void report_defects(const struct defects *d, const struct read_listener *l)
{
	struct str text = buf_str(&d->text), line;
	while (str_take_line(&text, &line))
		l->defect(l->arg, line);
	if (d->n > TOLD_MAX) {
		struct buf more CLEANUP(buf_free) = { 0 };
		buf_addf(&more, "%s: and %u more", d->path, d->n - TOLD_MAX);
		l->defect(l->arg, buf_str(&more));
	}
}

static bool read_is_wanted(const struct node_query *q, const char *name)
{
	return !q->node || archive_is_same_host(str_of(q->node), str_of(name)) ||
	       fnmatch(q->node, name, 0) == 0;
}

static struct node_batch *add_node_batch(struct host_files *r, const char *name)
{
	r->batch = vec_reserve(r->batch, &r->cap, r->n + 1, sizeof(struct node_batch *));
	return r->batch[r->n++] = node_batch_new(&r->jobs, name);
}

/*
 * Find or create the batch of another node. Returns NULL if a file has records of too many nodes.
 */
static struct node_batch *node_batch_of_other(struct host_files *r, struct str host)
{
	for (size_t i = 1; i < r->n; i++)
		if (archive_is_same_host(str_of(node_batch_name(r->batch[i])), host))
			return r->batch[i];
	if (r->n == OTHERS_MAX)
		return NULL;
	char *name = xstrdup(host);
	struct node_batch *new = add_node_batch(r, name);
	free(name);
	return new;
}

/*
 * Return the batch of the node of a record, or NULL if the query excludes the node or the file has
 * too many nodes. Most records are of the host whose name is that of the folder, or `first`, the
 * name in the file's first header.
 */
static struct node_batch *node_batch_of(struct host_files *r, const struct record_source *source,
					const struct record *record, struct buf *first)
{
	struct str host = record_host(source, record);
	struct node_batch *c = r->batch[0];
	if (first->n == 0)
		buf_add(first, host);
	if (host.n && !archive_is_same_host(host, buf_str(first)) &&
	    !archive_is_same_host(host, str_of(r->name)))
		c = node_batch_of_other(r, host);
	return c && read_is_wanted(r->q, node_batch_name(c)) ? c : NULL;
}

static void begin_file(struct host_files *r)
{
	for (size_t i = 0; i < r->n; i++)
		node_batch_begin_file(r->batch[i]);
}

static bool end_file(struct host_files *r, const struct defects *d)
{
	bool any = false;
	for (size_t i = 0; i < r->n; i++)
		any |= node_batch_end_file(r->batch[i], d->bad_lines, d->torn);
	return any;
}

static bool is_away(const struct host_files *r)
{
	bool away = true;
	for (size_t i = 0; i < r->n; i++)
		away &= node_batch_is_away(r->batch[i]);
	return away;
}

/* Collect the job's runs from all nodes in turn. */
static void finish_job(struct host_files *r, size_t job, struct runs *runs)
{
	for (size_t i = 0; i < r->n; i++)
		node_batch_finish(r->batch[i], job, runs);
}

/*
 * Deliver the runs of a job, unless the job was refused and needs another pass. "left" is the time
 * at which an open run left the node; 0 if unknown.
 */
static void read_end_job(struct host_files *r, size_t job, int64_t left)
{
	struct runs runs = { 0 };

	finish_job(r, job, &runs);
	for (size_t i = 0; i < runs.n; i++)
		if (left && runs.run[i].node.open) {
			runs.run[i].node.absent_from = left;
			runs.run[i].node.open = false;
		}
	if (!r->jobs.job[job].refused && !r->done[job]) {
		r->many->found(r->many->arg, job, &runs);
		r->done[job] = true;
	}
	runs_free(&runs);
}

static void end_those_over(struct host_files *r)
{
	while (r->jobs.n_over > 0)
		read_end_job(r, r->jobs.over[--r->jobs.n_over], 0);
}

static void end_search(struct host_files *r)
{
	for (size_t i = 0; i < r->n; i++)
		node_batch_free(r->batch[i]);
	free(r->batch);
	node_batch_jobs_end(&r->jobs);
}

static void read_records(struct host_files *r, const char *path, struct input *in)
{
	struct defects d = { .path = path, .in = in };
	const struct record_listener listener = { keep_defect, &d };
	const struct byte_source bytes = input_bytes(in);
	struct record_source source = records_open(&bytes, &listener);
	struct buf first CLEANUP(buf_free) = { 0 };
	struct node_batch *batch = r->batch[0];
	const struct record *record;
	int e;

	begin_file(r);
	while ((e = record_next(&source, &record)) > 0) {
		if (first.n == 0 || record->restart || record->host.n)
			batch = node_batch_of(r, &source, record, &first);
		if (batch)
			node_batch_take(batch, record, &source);
		end_those_over(r);
	}
	bool has_job = end_file(r, &d);
	if (input_error(in) != 0)
		report_defect(r->listener, path, input_why(input_error(in)));
	if (e < 0 || input_error(in) != 0)
		r->ret->unreadable++;
	if (e < 0 || has_job)
		report_defects(&d, r->listener);
	record_source_end(&source);
	buf_free(&d.text);
}

static void read_file(struct host_files *r, const char *path)
{
	struct input *in;
	int e;

	r->ret->files++;
	e = input_open(path, &in);
	if (e < 0) {
		report_defect(r->listener, path, input_why(e));
		r->ret->unreadable++;
		return;
	}
	read_records(r, path, in);
	input_free(in);
}

/* Compute the time range of the job's known runs, on this host and in .elsewhere. */
static void job_time(const struct host_files *r, int64_t *start, int64_t *end)
{
	const struct runs *a = r->elsewhere, *b = node_batch_runs(r->batch[0], 0);

	*start = b && b->n && b->start < a->start ? b->start : a->start;
	*end = b && b->n && b->end > a->end ? b->end : a->end;
}

/*
 * Return whether the file is outside the time to search. Without a job, this is the requested time;
 * with a job and a requested time, the requested time, extended by WINDOW before its start; with a
 * job alone, the time of the job's known runs, extended by WINDOW on both sides.
 */
static bool of_another_time(const struct host_files *r, const struct archive_file *file, bool last)
{
	bool has_period = r->q->since != INT64_MIN || r->q->until != INT64_MAX;
	int64_t since = r->q->since / SECOND, until = r->q->until / SECOND;

	if (r->q->job && !has_period) {
		if (!r->elsewhere || r->elsewhere->n == 0)
			return false;	/* read the file to find all runs of the id */
		job_time(r, &since, &until);
		since /= SECOND;
		until = until / SECOND + WINDOW;
	}
	if (r->q->job && since > INT64_MIN / SECOND)
		since -= WINDOW;
	return file[0].epoch > until || (!last && file[1].epoch < since);
}

/* Return whether the file is outside the time range of a query for hosts; false for a job. */
static bool is_out_of_range(const struct node_query *q, const struct archive_file *file, bool last)
{
	return !q->job && (file[0].epoch > q->until / SECOND ||
			   (!last && file[1].epoch < q->since / SECOND));
}

static bool read_is_passed_over(const struct host_files *r, const struct archive_file *file,
				bool last)
{
	const char *job = r->q->job;
	if (is_out_of_range(r->q, file, last))
		return true;
	return is_away(r) && (of_another_time(r, file, last) ||
						  (job && index_excludes(file->path, str_of(job))));
}

static void begin_search(struct host_files *r, const struct node_batch_job *job, size_t n)
{
	r->jobs.n = n;
	r->jobs.job = memcpy(xrealloc(NULL, n * sizeof(*job)), job, n * sizeof(*job));
	add_node_batch(r, r->name);
}

void node_read(const struct node_query *q, const struct runs *elsewhere,
	       const struct archive_file *file, size_t n, const struct read_listener *listener,
	       struct node_read *ret)
{
	struct host_files r = { .q = q, .elsewhere = elsewhere, .listener = listener, .ret = ret,
				.name = file[0].host };
	const struct node_batch_job job = { .ask = *q, .due = UINT64_MAX };

	*ret = (struct node_read){ .files = 0 };
	begin_search(&r, &job, 1);
	node_batch_jobs_enter(&r.jobs, 0);
	for (size_t i = 0; i < n; i++)
		if (!read_is_passed_over(&r, &file[i], i + 1 == n))
			read_file(&r, file[i].path);
	finish_job(&r, 0, &ret->runs);
	end_search(&r);
}

/*
 * Prepare the search for all jobs that have records in the same file as many->pair[pair]. Returns
 * the index of the first pair (struct read_pair) of the next file.
 */
static size_t enter_jobs(struct host_files *r, size_t pair, const size_t *last)
{
	const struct read_jobs *many = r->many;
	size_t i = pair;

	map_clear(&r->jobs.by_id);
	for (; i < many->n_pairs && many->pair[i].file == many->pair[pair].file; i++) {
		struct node_batch_job *job = &r->jobs.job[many->pair[i].job];
		if (r->done[many->pair[i].job])
			continue;
		job->due = many->pair[i].samples;
		job->more = last[many->pair[i].job] > i;
		node_batch_jobs_enter(&r->jobs, many->pair[i].job);
	}
	return i;
}

/* Read all files once. Returns true if all jobs are done. */
static bool read_all(struct host_files *r, const struct archive_file *file, const size_t *last)
{
	const struct read_jobs *many = r->many;
	bool all = true;

	for (size_t i = 0, end; i < many->n_pairs; i = end) {
		int64_t next = archive_next_start(file, many->n_files, many->pair[i].file);
		end = enter_jobs(r, i, last);
		if (r->jobs.by_id.n > 0)
			read_file(r, file[many->pair[i].file].path);
		for (; i < end; i++)
			if (last[many->pair[i].job] == i)
				read_end_job(r, many->pair[i].job, next);
	}
	for (size_t i = 0; i < many->n; i++)
		all &= r->done[i];
	return all;
}

static void keep_silent(void *arg, struct str text)
{
	(void)arg;
	(void)text;
}

void node_read_jobs(const struct read_jobs *many, const struct archive_file *file)
{
	static const struct read_listener silent = { keep_silent, NULL };
	bool *done = memset(xrealloc(NULL, many->n * sizeof(*done)), 0, many->n * sizeof(*done));
	size_t *last = xrealloc(NULL, many->n * sizeof(*last));
	bool all = many->n == 0;

	for (size_t i = 0; i < many->n_pairs; i++)
		last[many->pair[i].job] = i;
	while (!all) {
		struct node_read ret = { .files = 0 };
		struct host_files r = { .q = &many->job[0].ask, .listener = &silent, .ret = &ret,
					.name = file[many->pair[0].file].host, .many = many,
					.done = done, .jobs.most_open = OPEN_MAX };
		begin_search(&r, many->job, many->n);
		all = read_all(&r, file, last);
		end_search(&r);
	}
	free(done);
	free(last);
}
