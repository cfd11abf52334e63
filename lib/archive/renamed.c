/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * renamed.c - join the files of a node that was renamed while a job ran
 *
 * Files under two names belong to one node if the last record of the old name and the first record
 * of the new name have the same boot id and a job in common that neither ends in the old record nor
 * begins in the new one. Containers share the boot id of their node, but each sees the job begin,
 * and their records overlap in time.
 */
#include "archive/renamed.h"

#include <stdlib.h>
#include <string.h>
#include "archive/input.h"
#include "archive/remote.h"
#include "base/map.h"
#include "base/vec.h"
#include "schema/record_source.h"

#define NO_HOST SIZE_MAX

/* The first or the last record of a host. */
struct edge {
	int64_t usec;
	struct buf boot_id;
	/* ids of the jobs that the record lists but neither begins nor ends, as "7,8" */
	struct buf jobs;
};

struct named_host {
	size_t begin, end;	/* range of the host's files in the list */
	struct edge first, last;
	struct buf last_boot;	/* boot id in the first header of the last file */
	bool has_last;		/* .last was read */
	size_t next;	/* index in .host of this node's next name, or NO_HOST */
	unsigned claims;	/* number of hosts in the list whose .next is this host */
};

struct renaming {
	struct archive_file *file;
	struct named_host *host;
	size_t n, cap;
	struct map by_boot;	/* hosts by the boot id of their first record */
};

static void renamed_take_edge(struct edge *e, const struct record *r,
			      const struct record_source *source,
			      enum mark_kind not_with)
{
	e->usec = r->usec;
	e->boot_id.n = e->jobs.n = 0;
	buf_add(&e->boot_id, record_property(source, "boot_id"));
	for (size_t i = 0; i < r->n_jobs; i++)
		if (!record_has_mark(r, not_with, r->job[i]))
			buf_addf(&e->jobs, "%s" STR_FMT, e->jobs.n ? "," : "", STR_ARG(r->job[i]));
}

/* Read the first or the last record of a file. e->boot_id is empty if there is none. */
static void renamed_read_edge(const char *path, bool last, struct edge *e)
{
	const struct record *r;
	struct input *in;

	if (input_open(path, &in) < 0)
		return;
	const struct byte_source bytes = input_bytes(in);
	struct record_source source = records_open(&bytes, NULL);
	while (record_next(&source, &r) > 0) {
		renamed_take_edge(e, r, &source, last ? MARK_END : MARK_BEGIN);
		if (!last)
			break;
	}
	record_source_end(&source);
	input_free(in);
}

static const struct edge *renamed_last_record(const struct renaming *g, struct named_host *h)
{
	if (!h->has_last)
		renamed_read_edge(g->file[h->end - 1].path, true, &h->last);
	h->has_last = true;
	return &h->last;
}

static bool renamed_share_job(struct str a, struct str b)
{
	struct str x, y;

	while (record_take_job(&a, &x))
		for (struct str rest = b; record_take_job(&rest, &y);)
			if (str_eq(x, y))
				return true;
	return false;
}

static bool renamed_continues(const struct renaming *g, struct named_host *old,
			      const struct named_host *new)
{
	if (g->file[new->begin].epoch <= g->file[old->end - 1].epoch)
		return false;
	const struct edge *last = renamed_last_record(g, old);
	return str_eq(buf_str(&last->boot_id), buf_str(&new->first.boot_id)) &&
	       last->usec < new->first.usec &&
	       renamed_share_job(buf_str(&last->jobs), buf_str(&new->first.jobs));
}

/*
 * Find the next name of the node that was called h. Returns NO_HOST if none is found, or if several
 * candidates overlap in time, because these are different nodes.
 */
static size_t renamed_find_next(const struct renaming *g, struct named_host *h)
{
	uint64_t hash = map_hash(buf_str(&h->last_boot));
	struct named_host *next = NULL;
	bool overlap = false;

	for (struct map_slot *at = NULL; (at = map_next(&g->by_boot, hash, at));) {
		struct named_host *other = &g->host[at->value.n];
		if (!str_eq(buf_str(&other->first.boot_id), buf_str(&h->last_boot)) ||
		    !renamed_continues(g, h, other))
			continue;
		struct named_host *earlier = next && next->first.usec < other->first.usec ?
			next : other, *later = earlier == next ? other : next;
		overlap |= later && later->first.usec <= renamed_last_record(g, earlier)->usec;
		next = earlier;
	}
	return next && !overlap ? (size_t)(next - g->host) : NO_HOST;
}

static void renamed_list_hosts(struct renaming *g, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(g->file[i].host, g->file[i - 1].host) == 0) {
			g->host[g->n - 1].end = i + 1;
			continue;
		}
		g->host = vec_reserve(g->host, &g->cap, g->n + 1, sizeof(*g->host));
		g->host[g->n++] = (struct named_host){ .begin = i, .end = i + 1, .next = NO_HOST };
	}
}

static void renamed_read_boot_ids(struct renaming *g, size_t i, int64_t first_end,
				  int64_t last_begin)
{
	struct named_host *h = &g->host[i];
	const struct archive_file *first = &g->file[h->begin], *last = &g->file[h->end - 1];
	struct edge e = { .usec = 0 };

	if (first->epoch > first_end)
		renamed_read_edge(first->path, false, &h->first);
	if (h->first.boot_id.n && h->first.jobs.n)
		map_add(&g->by_boot, map_hash(buf_str(&h->first.boot_id)),
			(union map_value){ .n = i });
	if (last->epoch >= last_begin)
		return;
	if (first == last && h->first.boot_id.n) {
		buf_add(&h->last_boot, buf_str(&h->first.boot_id));
		return;
	}
	renamed_read_edge(last->path, false, &e);
	h->last_boot = e.boot_id;
	buf_free(&e.jobs);
}

/*
 * Read the first and last records, but only of hosts that may be renamed nodes: the names of their
 * files show that they begin after another host has ended, or end before another host begins.
 */
static void renamed_look_at_hosts(struct renaming *g)
{
	int64_t first_end = INT64_MAX, last_begin = INT64_MIN;

	for (size_t i = 0; i < g->n; i++) {
		int64_t begin = g->file[g->host[i].begin].epoch;
		int64_t end = g->file[g->host[i].end - 1].epoch;
		first_end = end < first_end ? end : first_end;
		last_begin = begin > last_begin ? begin : last_begin;
	}
	for (size_t i = 0; i < g->n; i++)
		renamed_read_boot_ids(g, i, first_end, last_begin);
}

static void renamed_set_hosts(struct renaming *g, const struct named_host *h, const char **host)
{
	const struct named_host *newest = h;

	while (newest->next != NO_HOST && g->host[newest->next].claims == 1)
		newest = &g->host[newest->next];
	if (newest == h)
		return;
	const char *new = g->file[newest->begin].host;
	if (*host && strcmp(*host, g->file[h->begin].host) == 0)
		*host = new;
	for (size_t i = h->begin; i < h->end; i++) {
		free(g->file[i].host);
		g->file[i].host = xstrdup(str_of(new));
	}
}

static void renamed_free_hosts(struct renaming *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct named_host *h = &g->host[i];
		buf_free(&h->first.boot_id);
		buf_free(&h->first.jobs);
		buf_free(&h->last.boot_id);
		buf_free(&h->last.jobs);
		buf_free(&h->last_boot);
	}
	free(g->host);
	map_free(&g->by_boot);
}

void archive_join_renamed(struct archive_file *file, size_t n, const char **host)
{
	struct renaming g = { .file = file };

	if (n < 2 || remote_is(file[0].path))
		return;
	renamed_list_hosts(&g, n);
	renamed_look_at_hosts(&g);
	for (size_t i = 0; i < g.n && g.by_boot.n; i++) {
		struct named_host *h = &g.host[i];
		h->next = h->last_boot.n ? renamed_find_next(&g, h) : NO_HOST;
		if (h->next != NO_HOST)
			g.host[h->next].claims++;
	}
	for (size_t i = 0; i < g.n; i++)
		renamed_set_hosts(&g, &g.host[i], host);
	renamed_free_hosts(&g);
	archive_sort(file, n);
}
