/* SPDX-License-Identifier: BSD-3-Clause */
/* list_used.c - compute the rows (run_row.h) of many jobs, reading each file once for all jobs */
#include "report/jobs/list_used.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/vec.h"
#include "report/read/read_bytes.h"
#include "report/spread.h"

/* limit of nodes whose results are held at a time, for jobs on several hosts */
#define NODES_MAX 32768

/* State of a job until all its hosts were read. */
struct partial {
	uint32_t hosts, come;	/* number of hosts of the job; number of these read so far */
	struct buf runs;	/* serialized runs from the hosts read so far */
};

/* The pairs of a host, as indexes in .pair of struct reading: the first pair, the last plus 1. */
struct range {
	size_t first, end;
};

struct reading {
	const struct list_used *how;
	struct job_list *list;
	struct partial *partial;	/* one element for each job of the list */
	struct read_pair *pair;	/* (file, job) pairs to read in this pass, sorted by file */
	size_t n_pairs, cap_pairs;
	struct range *host;
	size_t n_hosts, cap_hosts;
	size_t done, todo;
	bool shown;
};

/*
 * Header before a host's result for a job. The result is a finished row if the job has only this
 * host, else the serialized runs on this host.
 */
struct head {
	size_t job, n;
	bool paged;
};

/* State of reading a host, in the process that reads it. */
struct host {
	const struct reading *g;
	const size_t *job;	/* for each job to search for, its index in the list */
	struct buf *out;
};

static struct node_query query_of(const struct reading *g, const struct listed_job *j)
{
	return (struct node_query){ .job = j->id, .since = j->first, .until = j->last,
				    .node = g->how->host };
}

/*
 * Append the row of a run, make its page if pages are wanted, and free the report. Returns true if
 * a page was made.
 */
static bool list_used_put_row(const struct reading *g, size_t job, struct report *r,
			      struct buf *row)
{
	struct job_used used;

	const struct listed_job *j = &g->list->job[job];
	r->job = j->id;
	/* select the run by the middle of its time, when no other run of the id exists */
	r->since = r->until = j->first + (j->last - j->first) / 2;
	job_used_of(r, sacct_find(g->how->sacct, j->id), g->how->site, &used);
	run_row_put(row, r, &used);
	bool paged = g->how->pages && g->how->pages->make(g->how->pages->arg, j, r);
	report_free(r);
	return paged;
}

static void put_found(void *arg, size_t index, struct runs *runs)
{
	struct host *h = arg;
	struct head head = { .job = h->job[index] };
	size_t at = h->out->n;

	buf_add(h->out, (struct str){ (const char *)&head, sizeof(head) });
	if (h->g->partial[head.job].hosts == 1) {
		struct report r = { 0 };
		report_add(&r, runs);
		head.paged = list_used_put_row(h->g, head.job, &r, h->out);
	} else {
		const struct node_query q = query_of(h->g, &h->g->list->job[head.job]);
		read_bytes_put_runs(h->out, &q, runs);
	}
	head.n = h->out->n - at - sizeof(head);
	memcpy(h->out->p + at, &head, sizeof(head));
}

static int list_used_by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

/* Write the distinct jobs of the pairs to job[], sorted. Returns their number. */
static size_t list_jobs(const struct read_pair *pair, size_t n, size_t *job)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		job[i] = pair[i].job;
	qsort(job, n, sizeof(*job), list_used_by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || job[kept - 1] != job[i])
			job[kept++] = job[i];
	return kept;
}

static void list_used_read_host(void *arg, size_t i, struct buf *out)
{
	const struct reading *g = arg;
	size_t n = g->host[i].end - g->host[i].first;
	const struct read_pair *from = g->pair + g->host[i].first;
	struct read_pair *pair = memcpy(xrealloc(NULL, n * sizeof(*pair)), from, n * sizeof(*pair));
	size_t *job = xrealloc(NULL, n * sizeof(*job)), jobs = list_jobs(pair, n, job);
	struct node_batch_job *query = xrealloc(NULL, jobs * sizeof(*query));
	struct host h = { g, job, out };

	for (size_t k = 0; k < jobs; k++)
		query[k] = (struct node_batch_job){ .ask = query_of(g, &g->list->job[job[k]]) };
	for (size_t k = 0; k < n; k++) {
		const size_t *at = bsearch(&pair[k].job, job, jobs, sizeof(*job),
					   list_used_by_number);
		pair[k].job = (size_t)(at - job);
	}
	const struct read_jobs many = { query, jobs, pair, n, g->how->n_files, put_found,
					&h };
	node_read_jobs(&many, g->how->file);
	free(query);
	free(job);
	free(pair);
}

static void end_partial(struct reading *g, size_t job)
{
	struct partial *p = &g->partial[job];
	const struct node_query q = query_of(g, &g->list->job[job]);
	struct str bytes = buf_str(&p->runs);
	struct buf row CLEANUP(buf_free) = { 0 };
	struct report r = { 0 };
	struct runs runs;

	while (bytes.n > 0) {
		read_bytes_take_runs(&bytes, &q, &runs);
		report_add(&r, &runs);
	}
	g->list->job[job].paged = list_used_put_row(g, job, &r, &row);
	g->how->keep(g->how->arg, &g->list->job[job], buf_str(&row));
	buf_free(&p->runs);
}

static void list_used_take_host(void *arg, size_t i, struct str bytes)
{
	struct reading *g = arg;
	struct head head;
	(void)i;

	while (bytes.n >= sizeof(head)) {
		memcpy(&head, bytes.p, sizeof(head));
		bytes = str_skip(bytes, sizeof(head));
		struct partial *p = &g->partial[head.job];
		struct listed_job *j = &g->list->job[head.job];
		j->paged = head.paged;
		if (p->hosts == 1)
			g->how->keep(g->how->arg, j, (struct str){ bytes.p, head.n });
		else
			buf_add(&p->runs, (struct str){ bytes.p, head.n });
		bytes = str_skip(bytes, head.n);
		if (++p->come < p->hosts)
			continue;
		g->done++;
		if (p->hosts > 1)
			end_partial(g, head.job);
	}
	if (g->shown)
		fprintf(stderr, "\r%zu of %zu jobs read ", g->done, g->todo);
}

static int by_file(const void *a, const void *b)
{
	const struct read_pair *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static bool same_host(const struct reading *g, size_t a, size_t b)
{
	return strcmp(g->how->file[a].host, g->how->file[b].host) == 0;
}

static void find_hosts(struct reading *g)
{
	qsort(g->pair, g->n_pairs, sizeof(*g->pair), by_file);
	g->n_hosts = 0;
	for (size_t i = 0; i < g->n_pairs; i++) {
		if (i == 0 || !same_host(g, g->pair[i].file, g->pair[i - 1].file)) {
			g->host = vec_reserve(g->host, &g->cap_hosts, g->n_hosts + 1,
					      sizeof(*g->host));
			g->host[g->n_hosts++].first = i;
		}
		g->host[g->n_hosts - 1].end = i + 1;
	}
}

/*
 * Add the pairs of a job. Returns the number of hosts whose results must be held until the last
 * host is read; 0 if the job has a single host.
 */
static size_t list_used_add_job(struct reading *g, size_t job)
{
	const struct listed_job *j = &g->list->job[job];
	size_t hosts = 0;

	for (size_t i = 0; i < j->n_files; i++) {
		hosts += i == 0 || !same_host(g, j->file[i].file, j->file[i - 1].file);
		g->pair = vec_reserve(g->pair, &g->cap_pairs, g->n_pairs + 1, sizeof(*g->pair));
		g->pair[g->n_pairs++] = (struct read_pair){ j->file[i].file, job,
							    j->file[i].samples };
	}
	g->partial[job].hosts = (uint32_t)hosts;
	return hosts > 1 ? hosts : 0;
}

struct start {
	int64_t usec;
	size_t job;
};

static int list_used_by_start(const void *a, const void *b)
{
	const struct start *x = a, *y = b;
	if (x->usec != y->usec)
		return x->usec < y->usec ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* List the jobs to read, sorted by start, since jobs of the same time are in the same files. */
static struct start *order_jobs(const struct job_list *l, size_t *n)
{
	struct start *order = xrealloc(NULL, l->n * sizeof(*order));
	for (size_t i = *n = 0; i < l->n; i++)
		if (l->job[i].row == ROW_NONE)
			order[(*n)++] = (struct start){ l->job[i].first, i };
	if (*n)
		qsort(order, *n, sizeof(*order), list_used_by_start);
	return order;
}

void list_used(struct job_list *l, const struct list_used *how)
{
	struct reading g = { .how = how, .list = l, .shown = isatty(STDERR_FILENO) };
	const struct spread spread = { list_used_read_host, list_used_take_host, &g };

	if (l->n == 0)
		return;
	struct start *order = order_jobs(l, &g.todo);
	if (g.todo == 0) {
		free(order);
		return;
	}
	g.partial = memset(xrealloc(NULL, l->n * sizeof(*g.partial)), 0,
			   l->n * sizeof(*g.partial));
	for (size_t at = 0; at < g.todo; ) {
		g.n_pairs = 0;
		for (size_t held = 0; at < g.todo && held < NODES_MAX; at++)
			held += list_used_add_job(&g, order[at].job);
		find_hosts(&g);
		spread_run(&spread, 0, g.n_hosts, spread_cpus());
	}
	if (g.shown)
		fputs("\r\033[K", stderr);
	free(order);
	free(g.partial);
	free(g.pair);
	free(g.host);
}
