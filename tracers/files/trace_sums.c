/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_sums.c - what recorded operations come to: by process, by file, by operation */
#include "tracers/files/trace_sums.h"

#include <errno.h>
#include <stdlib.h>

static size_t find(const struct trace_sum *sums, const struct map *found, struct str name)
{
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(found, hash, at));)
		if (str_eq(str_of(sums[at->value.n].name), name))
			return (size_t)at->value.n;
	return SIZE_MAX;
}

/* Adds it if it is new. */
static struct trace_sum *sum_of(struct trace_sum **sums, size_t *n, size_t *cap, struct map *found,
				struct str name)
{
	size_t at = find(*sums, found, name);
	if (at == SIZE_MAX && *n >= SUMS_KEYS_MAX) {
		name = STR("(others)");
		at = find(*sums, found, name);
	}
	if (at == SIZE_MAX) {
		*sums = vec_reserve(*sums, cap, *n + 1, sizeof(**sums));
		at = (*n)++;
		(*sums)[at] = (struct trace_sum){ .name = xstrdup(name) };
		map_add(found, map_hash(name), (union map_value){ .n = at });
	}
	return &(*sums)[at];
}

static bool is_data(enum operation op)
{
	return op == OP_READ || op == OP_WRITE || op == OP_COPY;
}

/* Records of nonsense end at the largest time that there is. */
static void add_time(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

static void add_to(struct trace_sum *sum, const struct event *e)
{
	sum->ops++;
	sum->meta += !is_data(e->op);
	add_time(&sum->ns, e->ns);
	if (e->op == OP_READ)
		sum->read += e->done;
	else if (is_data(e->op))
		sum->written += e->done;
}

/* One that neither goes on where the last ended nor starts again moves about in the file. */
static void add_data(struct trace_sums *s, struct trace_sum *file, const struct event *e)
{
	s->data++;
	s->small += e->asked < SMALL_BYTES;
	s->jumps += file->placed && e->position && file->position != e->position;
	file->position = e->position + e->done;
	file->placed = true;
}

static void slow_free(struct slow *s)
{
	free(s->path);
	free(s->process);
}

static void add_slow(struct trace_sums *s, const struct event *e, struct str process)
{
	size_t i = SLOWEST - 1;
	if (s->slowest[i].path && s->slowest[i].ns >= e->ns)
		return;
	slow_free(&s->slowest[i]);
	for (; i > 0 && (!s->slowest[i - 1].path || s->slowest[i - 1].ns < e->ns); i--)
		s->slowest[i] = s->slowest[i - 1];
	s->slowest[i] = (struct slow){ e->op, xstrdup(e->path), xstrdup(process), e->ns };
}

/* "22902 /usr/bin/bash"; the kernel names none for pid 0. */
static void put_process(struct buf *b, const struct event *e)
{
	if (e->pid == 0) {
		buf_add(b, STR("(kernel)"));
		return;
	}
	buf_addf(b, "%u ", e->pid);
	buf_add(b, e->process.n ? e->process : STR("?"));
}

void trace_sums_add(struct trace_sums *s, const struct event *e, bool has_result)
{
	struct buf process CLEANUP(buf_free) = { 0 };
	put_process(&process, e);
	struct trace_sum *file = sum_of(&s->by_file.sum, &s->by_file.n, &s->by_file.cap,
					&s->by_file.found, e->path);
	add_to(file, e);
	if (is_data(e->op))
		add_data(s, file, e);
	add_to(sum_of(&s->by_process.sum, &s->by_process.n, &s->by_process.cap,
		      &s->by_process.found, buf_str(&process)), e);
	s->by_op[e->op].n++;
	s->by_op[e->op].failed += e->result != 0;
	add_time(&s->by_op[e->op].ns, e->ns);
	if (e->ns > s->by_op[e->op].longest)
		s->by_op[e->op].longest = e->ns;
	s->missing += e->op == OP_STAT && e->result == ENOENT;
	s->results = s->records ? s->results && has_result : has_result;
	if (s->records++ == 0 || e->start < s->first)
		s->first = e->start;
	if (e->start + e->ns > s->last)
		s->last = e->start + e->ns;
	add_slow(s, e, buf_str(&process));
}

static int compare(const void *a, const void *b)
{
	const struct trace_sum *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

void trace_sums_sort(struct trace_sums *s)
{
	if (s->by_file.n)
		qsort(s->by_file.sum, s->by_file.n, sizeof(*s->by_file.sum), compare);
	if (s->by_process.n)
		qsort(s->by_process.sum, s->by_process.n, sizeof(*s->by_process.sum), compare);
}

static void free_sums(struct trace_sum *sum, size_t n, struct map *found)
{
	for (size_t i = 0; i < n; i++)
		free(sum[i].name);
	free(sum);
	map_free(found);
}

void trace_sums_free(struct trace_sums *s)
{
	free_sums(s->by_file.sum, s->by_file.n, &s->by_file.found);
	free_sums(s->by_process.sum, s->by_process.n, &s->by_process.found);
	for (size_t i = 0; i < SLOWEST; i++)
		slow_free(&s->slowest[i]);
}
