/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c - the files of one host, and what they say of a job */
#include "report/read.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "archive/index.h"
#include "base/buf.h"
#include "base/vec.h"

#define SECOND 1000000
#define TOLD_MAX 5		/* defects of a file that are reported one by one */

/*
 * How far from the job's other nodes a file may lie. A job that is started again may run on other
 * nodes days later; a job id that comes round again does so after months.
 */
#define WINDOW (7 * 86400)	/* seconds */
#define OTHERS_MAX 4096

/* Another node than the one that the files are of, whose records are among theirs. */
struct other {
	char *name;
	struct runs runs;
	struct node_search *search;
};

struct host_files {
	const struct node_query *q;
	const char *name;
	const struct runs *elsewhere;
	const struct read_listener *listener;
	struct node_search *search;
	struct other *other;
	size_t n_others, cap_others;
	struct node_read *ret;
};

/* What is wrong with a file, kept until it is known that the job is in it. */
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
		return;		/* reported by itself, whatever else is wrong */
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

/* "n1" and "n1.example.org" are one. */
static bool is_same_host(struct str a, struct str b)
{
	struct str longer = a.n > b.n ? a : b, shorter = a.n > b.n ? b : a;
	return str_starts(longer, shorter) &&
	       (longer.n == shorter.n || longer.p[shorter.n] == '.');
}

static bool is_wanted(const struct node_query *q, const char *name)
{
	return !q->node || strcmp(q->node, name) == 0 || fnmatch(q->node, name, 0) == 0;
}

/* NULL: there are more of them than a file has by right. */
static struct node_search *search_of_other(struct host_files *r, struct str host)
{
	for (size_t i = 0; i < r->n_others; i++)
		if (is_same_host(str_of(r->other[i].name), host))
			return r->other[i].search;
	if (r->n_others == OTHERS_MAX)
		return NULL;
	r->other = vec_reserve(r->other, &r->cap_others, r->n_others + 1, sizeof(*r->other));
	struct other *new = &r->other[r->n_others++];
	*new = (struct other){ .name = xstrdup(host) };
	return new->search = node_search_new(r->q, new->name, &new->runs);
}

/* Whose record it is: the node's that the folder or the first header of the file names, mostly. */
static struct node_search *search_of(struct host_files *r, const struct record_source *source,
				     const struct record *record, struct buf *first)
{
	struct str host = record_host(source, record);
	if (first->n == 0)
		buf_add(first, host);
	if (host.n == 0 || is_same_host(host, buf_str(first)) ||
	    is_same_host(host, str_of(r->name)))
		return is_wanted(r->q, r->name) ? r->search : NULL;
	struct node_search *other = search_of_other(r, host);
	return other && is_wanted(r->q, node_search_name(other)) ? other : NULL;
}

static void begin_file(struct host_files *r)
{
	node_search_begin_file(r->search);
	for (size_t i = 0; i < r->n_others; i++)
		node_search_begin_file(r->other[i].search);
}

static bool end_file(struct host_files *r, const struct defects *d)
{
	bool any = node_search_end_file(r->search, d->bad_lines, d->torn);
	for (size_t i = 0; i < r->n_others; i++)
		any |= node_search_end_file(r->other[i].search, d->bad_lines, d->torn);
	return any;
}

static bool is_away(const struct host_files *r)
{
	bool away = node_search_is_away(r->search);
	for (size_t i = 0; i < r->n_others; i++)
		away &= node_search_is_away(r->other[i].search);
	return away;
}

/* Of one node after the other. */
static void end_search(struct host_files *r)
{
	struct runs *all = &r->ret->runs;

	node_search_end(r->search);
	for (size_t i = 0; i < r->n_others; i++) {
		node_search_end(r->other[i].search);
		runs_join(all, &r->other[i].runs);
		free(r->other[i].name);
	}
	free(r->other);
}

static void read_records(struct host_files *r, const char *path, struct input *in)
{
	struct defects d = { .path = path, .in = in };
	const struct record_listener listener = { keep_defect, &d };
	const struct byte_source bytes = input_bytes(in);
	struct record_source source = records_open(&bytes, &listener);
	struct buf first CLEANUP(buf_free) = { 0 };
	struct node_search *search = r->search;
	const struct record *record;
	int e;

	begin_file(r);
	while ((e = record_next(&source, &record)) > 0) {
		if (first.n == 0 || record->restart || record->host.n)
			search = search_of(r, &source, record, &first);
		if (search)
			node_search_take(search, record, &source);
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

/* When the job was somewhere, as far as that is known. */
static void job_time(const struct host_files *r, int64_t *start, int64_t *end)
{
	const struct runs *a = r->elsewhere, *b = &r->ret->runs;

	*start = b->n && b->start < a->start ? b->start : a->start;
	*end = b->n && b->end > a->end ? b->end : a->end;
}

/* The file begins after the job was over, or the next one begins before it was there. */
static bool of_another_time(const struct host_files *r, const struct archive_file *file, bool last)
{
	bool asked = r->q->since != INT64_MIN || r->q->until != INT64_MAX;
	int64_t since = r->q->since / SECOND, until = r->q->until / SECOND;

	if (r->q->job && !asked) {
		if (!r->elsewhere || r->elsewhere->n == 0)
			return false;	/* its files show when else the id was used */
		job_time(r, &since, &until);
		since /= SECOND;
		until = until / SECOND + WINDOW;
	}
	if (r->q->job && since > INT64_MIN / SECOND)
		since -= WINDOW;
	return file[0].epoch > until || (!last && file[1].epoch < since);
}

/* Nothing of it can be of the query, whatever is known of where the job is now. */
static bool is_out_of_range(const struct node_query *q, const struct archive_file *file, bool last)
{
	return !q->job && (file[0].epoch > q->until / SECOND ||
			   (!last && file[1].epoch < q->since / SECOND));
}

static bool is_passed_over(const struct host_files *r, const struct archive_file *file, bool last)
{
	const char *job = r->q->job;
	if (is_out_of_range(r->q, file, last))
		return true;
	return is_away(r) && (of_another_time(r, file, last) ||
						  (job && index_excludes(file->path, str_of(job))));
}

void node_read(const struct node_query *q, const struct runs *elsewhere,
	       const struct archive_file *file, size_t n, const struct read_listener *listener,
	       struct node_read *ret)
{
	struct host_files r = { .q = q, .elsewhere = elsewhere, .listener = listener, .ret = ret,
				.name = file[0].host };

	*ret = (struct node_read){ .files = 0 };
	r.search = node_search_new(q, file[0].host, &ret->runs);
	for (size_t i = 0; i < n; i++) {
		if (is_passed_over(&r, &file[i], i + 1 == n))
			continue;
		read_file(&r, file[i].path);
	}
	end_search(&r);
}
