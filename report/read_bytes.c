/* SPDX-License-Identifier: BSD-3-Clause */
/* read_bytes.c - what was read of a host goes from one process of a program to another */
#include "report/read_bytes.h"

#include <assert.h>
#include <string.h>

/* Both sides are the same program: the bytes are those of the structures, without the pointers. */
static void put(struct buf *b, const void *p, size_t n)
{
	if (n > 0)
		buf_add(b, (struct str){ p, n });
}

static void take(struct str *from, void *p, size_t n)
{
	assert(from->n >= n);
	if (n > 0)
		memcpy(p, from->p, n);
	*from = str_skip(*from, n);
}

static void *take_array(struct str *from, size_t n, size_t size)
{
	void *p = xrealloc(NULL, n * size);
	take(from, p, n * size);
	return p;
}

static void put_run(struct buf *b, const struct run *run, size_t values)
{
	put(b, run, sizeof(*run));
	put(b, run->node.name, strlen(run->node.name) + 1);
	put(b, run->node.value, values * sizeof(*run->node.value));
	put(b, run->procs.proc, run->procs.n * sizeof(*run->procs.proc));
}

static void take_run(struct str *from, struct run *run, size_t values)
{
	take(from, run, sizeof(*run));
	run->node.name = xstrdup(str_of(from->p));
	*from = str_skip(*from, strlen(run->node.name) + 1);
	run->node.value = take_array(from, values, sizeof(*run->node.value));
	struct procs procs = { .n = run->procs.n, .cap = run->procs.n };
	procs.proc = procs.n ? take_array(from, procs.n, sizeof(*procs.proc)) : NULL;
	run->procs = procs;
}

void read_bytes_put(struct buf *b, const struct node_query *q, const struct node_read *found,
		    struct str said)
{
	put(b, found, sizeof(*found));
	for (size_t i = 0; i < found->runs.n; i++)
		put_run(b, &found->runs.run[i], node_query_figures(q).n);
	buf_add(b, said);
}

void read_bytes_take(struct str bytes, const struct node_query *q,
		     struct node_read *found, struct str *said)
{
	take(&bytes, found, sizeof(*found));
	struct runs *runs = &found->runs;
	runs->cap = runs->n;
	runs->run = runs->n ? xrealloc(NULL, runs->n * sizeof(*runs->run)) : NULL;
	for (size_t i = 0; i < runs->n; i++)
		take_run(&bytes, &runs->run[i], node_query_figures(q).n);
	*said = bytes;
}
