/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_sums.c - what recorded operations come to: by process, by file, by operation */
#include "tracers/files/trace_sums.h"

#include <errno.h>
#include <stdlib.h>
#include "base/clock.h"

static struct trace_sum *find(const struct trace_table *t, struct str name)
{
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&t->found, hash, at));)
		if (str_eq(str_of(t->sum[at->value.n].name), name))
			return &t->sum[at->value.n];
	return NULL;
}

/* Adds a sum if the name is new and there is room; "(others)" has room always. */
static struct trace_sum *sum_of(struct trace_sums *s, struct trace_table *t, struct str name)
{
	struct trace_sum *sum = find(t, name);
	if (!sum && s->bytes > SUMS_BYTES_MAX) {
		name = STR("(others)");
		sum = find(t, name);
	}
	if (sum)
		return sum;
	t->sum = vec_reserve(t->sum, &t->cap, t->n + 1, sizeof(*t->sum));
	t->sum[t->n] = (struct trace_sum){ .name = xstrdup(name) };
	map_add(&t->found, map_hash(name), (union map_value){ .n = t->n });
	s->bytes += sizeof(*sum) + 2 * sizeof(struct map_slot) + name.n;
	return &t->sum[t->n++];
}

static bool is_data(enum operation op)
{
	return op == OP_READ || op == OP_WRITE || op == OP_COPY;
}

static void add_to(struct trace_sum *sum, const struct event *e)
{
	sum->ops++;
	sum->meta += !is_data(e->op);
	time_add(&sum->ns, e->ns);
	if (e->op == OP_READ)
		sum->read += e->done;
	else if (is_data(e->op))
		sum->written += e->done;
}

/*
 * A read or write jumps unless it goes on where the process' last one in this file ended, or starts
 * again: processes that share a file, as ranks do, each go their own way.
 */
static void add_data(struct trace_sums *s, const struct event *e)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	buf_addf(&name, "%u ", e->pid);
	buf_add(&name, e->path);
	struct trace_sum *place = sum_of(s, &s->places, buf_str(&name));
	s->data++;
	s->small += e->asked < SMALL_BYTES;
	s->jumps += place->placed && e->position && place->position != e->position;
	place->position = e->position + e->done;
	place->placed = true;
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
	add_to(sum_of(s, &s->by_file, e->path), e);
	if (is_data(e->op))
		add_data(s, e);
	add_to(sum_of(s, &s->by_process, buf_str(&process)), e);
	s->by_op[e->op].n++;
	s->by_op[e->op].failed += e->result != 0;
	time_add(&s->by_op[e->op].ns, e->ns);
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

static void sort(struct trace_table *t)
{
	if (t->n)
		qsort(t->sum, t->n, sizeof(*t->sum), compare);
}

void trace_sums_sort(struct trace_sums *s)
{
	sort(&s->by_file);
	sort(&s->by_process);
}

static void free_table(struct trace_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->sum[i].name);
	free(t->sum);
	map_free(&t->found);
}

void trace_sums_free(struct trace_sums *s)
{
	free_table(&s->by_file);
	free_table(&s->by_process);
	free_table(&s->places);
	for (size_t i = 0; i < SLOWEST; i++)
		slow_free(&s->slowest[i]);
}
