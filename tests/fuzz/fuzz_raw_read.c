/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_raw_read.c - any raw file gives the same result, in whatever pieces it is read */
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct feed {
	const uint8_t *data;
	size_t size, piece;
	uint64_t hash;		/* hash of all delivered text and messages */
};

static ssize_t feed_read(void *arg, char *to, size_t n)
{
	struct feed *f = arg;
	if (n > f->piece)
		n = f->piece;
	if (n > f->size)
		n = f->size;
	if (n)
		memcpy(to, f->data, n);
	f->data += n;
	f->size -= n;
	return (ssize_t)n;
}

static void add(struct feed *f, const void *what, size_t n)
{
	const uint8_t *p = what;
	for (size_t i = 0; i < n; i++)
		f->hash = (f->hash ^ p[i]) * 1099511628211u;
}

static void add_str(struct feed *f, struct str s)
{
	add(f, &s.n, sizeof(s.n));
	add(f, s.p, s.n);
}

static void defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	add(arg, &kind, sizeof(kind));
	add(arg, &line, sizeof(line));
	add(arg, what, strlen(what));
}

static void add_row(struct feed *f, const struct record_type *type, const struct record_row *row)
{
	size_t n = type->n_keys;
	add_str(f, str_of(type->name));
	add_str(f, row->device);
	for (size_t k = 0; k < n; k++) {
		add_str(f, str_of(type->key[k].name));
		add_str(f, str_of(type->key[k].unit_name));
	}
	add(f, row->value, n * sizeof(*row->value));
	if (row->real)
		add(f, row->real, n * sizeof(*row->real));
	if (row->present)
		add(f, row->present, (n + 63) / 64 * sizeof(*row->present));
}

static void add_mark(struct feed *f, const struct mark *m)
{
	add(f, &m->kind, sizeof(m->kind));
	add_str(f, m->text);
	add_str(f, m->subject);
	add_str(f, m->rest);
}

/* Hash which devices of the first row's type are built on others, as the header says. */
static void add_below(struct feed *f, const struct record *g)
{
	struct below_device d[64] = { 0 };
	size_t n = 0;
	for (; g->n_types && n < g->rows[0].n && n < 64; n++)
		d[n].name = g->rows[0].row[n].device;
	if (n)
		below_decide(g->below, str_of(g->rows[0].type->name), d, n);
	for (size_t i = 0; i < n; i++)
		add(f, &d[i].how, sizeof(d[i].how));
}

static uint64_t read_all(const uint8_t *data, size_t size, size_t piece)
{
	struct feed f = { data, size, piece, 14695981039346656037u };
	struct byte_source src = { feed_read, &f };
	struct record_source r = records_open(&src, &(struct record_listener){ defect, &f });
	const struct record *g;
	int more;

	while ((more = record_next(&r, &g)) > 0) {
		add(&f, &g->usec, sizeof(g->usec));
		add(&f, &g->line, sizeof(g->line));
		for (size_t i = 0; i < g->n_jobs; i++)
			add_str(&f, g->job[i]);
		add_str(&f, g->host);
		for (size_t i = 0; i < g->n_marks; i++)
			add_mark(&f, &g->mark[i]);
		for (size_t i = 0; i < g->n_types; i++)
			for (size_t k = 0; k < g->rows[i].n; k++)
				add_row(&f, g->rows[i].type, &g->rows[i].row[k]);
		add_below(&f, g);
		add_str(&f, record_property(&r, "hostname"));
	}
	add(&f, &more, sizeof(more));
	record_source_end(&r);
	return f.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	/* the first byte selects the number of bytes that a read returns */
	size_t piece = data[0] % 64 + 1u;
	if (read_all(data + 1, size - 1, piece) != read_all(data + 1, size - 1, SIZE_MAX))
		abort();
	return 0;
}
