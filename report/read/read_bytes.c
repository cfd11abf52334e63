/* SPDX-License-Identifier: BSD-3-Clause */
/* read_bytes.c - pass the runs found on a host between processes of a program */
#include "report/read/read_bytes.h"

#include <assert.h>
#include <string.h>

/*
 * Append a struct as raw bytes; the receiving process runs the same program. The caller appends the
 * memory to which the struct's pointers refer.
 */
static void read_bytes_add(struct buf *b, const void *p, size_t n)
{
	if (n > 0)
		buf_add(b, (struct str){ p, n });
}

static void read_bytes_remove(struct str *from, void *p, size_t n)
{
	assert(from->n >= n);
	if (n > 0)
		memcpy(p, from->p, n);
	*from = str_skip(*from, n);
}

static void *take_array(struct str *from, size_t n, size_t size)
{
	void *p = xrealloc(NULL, n * size);
	read_bytes_remove(from, p, n * size);
	return p;
}

/*
 * Write 8-byte words in few bytes, because most words are 0: for every eight words, write a mask of
 * the nonzero words, then the nonzero words.
 */
static void put_sparse(struct buf *b, const void *p, size_t n)
{
	uint64_t word[8];

	assert(n % 8 == 0);
	for (size_t at = 0; at < n; at += sizeof(word)) {
		size_t some = n - at < sizeof(word) ? n - at : sizeof(word), mask = b->n;
		memcpy(word, (const char *)p + at, some);
		buf_add_char(b, 0);
		for (size_t i = 0; i < some / 8; i++) {
			if (!word[i])
				continue;
			b->p[mask] = (char)((unsigned char)b->p[mask] | 1u << i);
			read_bytes_add(b, &word[i], 8);
		}
	}
}

static void take_sparse(struct str *from, void *p, size_t n)
{
	unsigned char mask = 0;

	memset(p, 0, n);
	for (size_t i = 0; i < n / 8; i++) {
		if (i % 8 == 0)
			read_bytes_remove(from, &mask, 1);
		if (mask >> i % 8 & 1)
			read_bytes_remove(from, (char *)p + 8 * i, 8);
	}
}

static void put_run(struct buf *b, const struct run *run, size_t values)
{
	put_sparse(b, run, sizeof(*run));
	read_bytes_add(b, run->node.name, strlen(run->node.name) + 1);
	put_sparse(b, run->node.value, values * sizeof(*run->node.value));
	read_bytes_add(b, run->procs.proc, run->procs.n * sizeof(*run->procs.proc));
}

static void take_run(struct str *from, struct run *run, size_t values)
{
	take_sparse(from, run, sizeof(*run));
	run->node.name = xstrdup(str_of(from->p));
	*from = str_skip(*from, strlen(run->node.name) + 1);
	run->node.value = xrealloc(NULL, values * sizeof(*run->node.value));
	take_sparse(from, run->node.value, values * sizeof(*run->node.value));
	struct procs procs = { .n = run->procs.n, .cap = run->procs.n };
	procs.proc = procs.n ? take_array(from, procs.n, sizeof(*procs.proc)) : NULL;
	run->procs = procs;
}

void read_bytes_put_runs(struct buf *b, const struct node_query *q, const struct runs *runs)
{
	read_bytes_add(b, runs, sizeof(*runs));
	for (size_t i = 0; i < runs->n; i++)
		put_run(b, &runs->run[i], node_query_figures(q).n);
}

void read_bytes_take_runs(struct str *bytes, const struct node_query *q, struct runs *runs)
{
	read_bytes_remove(bytes, runs, sizeof(*runs));
	runs->cap = runs->n;
	runs->run = runs->n ? xrealloc(NULL, runs->n * sizeof(*runs->run)) : NULL;
	for (size_t i = 0; i < runs->n; i++)
		take_run(bytes, &runs->run[i], node_query_figures(q).n);
}

void read_bytes_put(struct buf *b, const struct node_query *q, const struct node_read *found,
		    struct str said)
{
	read_bytes_add(b, found, sizeof(*found));
	read_bytes_put_runs(b, q, &found->runs);
	buf_add(b, said);
}

void read_bytes_take(struct str bytes, const struct node_query *q,
		     struct node_read *found, struct str *said)
{
	read_bytes_remove(&bytes, found, sizeof(*found));
	read_bytes_take_runs(&bytes, q, &found->runs);
	*said = bytes;
}
