/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_raw_read.c - whatever a raw file holds, and in whatever pieces it comes, it reads alike */
#include <stdlib.h>
#include <string.h>
#include "formats/raw_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct feed {
	const uint8_t *data;
	size_t size, piece;
	uint64_t hash;		/* of all that was delivered and said */
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

static void defect(void *arg, enum raw_defect kind, uint64_t line, const char *what)
{
	add(arg, &kind, sizeof(kind));
	add(arg, &line, sizeof(line));
	add(arg, what, strlen(what));
}

static void add_row(struct feed *f, const struct raw_row *row)
{
	size_t n = row->type->n_keys;
	add_str(f, str_of(row->type->name));
	add_str(f, row->device);
	for (size_t k = 0; k < n; k++) {
		add_str(f, str_of(row->type->key[k].name));
		add_str(f, str_of(row->type->key[k].unit_name));
	}
	add(f, row->value, n * sizeof(*row->value));
	if (row->real)
		add(f, row->real, n * sizeof(*row->real));
	if (row->absent)
		add(f, row->absent, n * sizeof(*row->absent));
}

/* What the header says of the devices of the first row's type. */
static void add_below(struct feed *f, const struct raw_group *g)
{
	struct below_device d[64] = { 0 };
	size_t n = 0;
	while (n < g->n_rows && n < 64 && g->row[n].type == g->row[0].type) {
		d[n].name = g->row[n].device;
		n++;
	}
	if (n)
		below_decide(g->below, str_of(g->row[0].type->name), d, n);
	for (size_t i = 0; i < n; i++)
		add(f, &d[i].how, sizeof(d[i].how));
}

static uint64_t read_all(const uint8_t *data, size_t size, size_t piece)
{
	struct feed f = { data, size, piece, 14695981039346656037u };
	struct raw_source src = { feed_read, &f };
	struct raw_reader *r = raw_reader_new(&src, &(struct raw_listener){ defect, &f });
	const struct raw_group *g;
	int more;

	while ((more = raw_read_group(r, &g)) > 0) {
		add(&f, &g->usec, sizeof(g->usec));
		add(&f, &g->line, sizeof(g->line));
		add_str(&f, g->jobs);
		add_str(&f, g->host);
		for (size_t i = 0; i < g->n_marks; i++)
			add_str(&f, g->mark[i]);
		for (size_t i = 0; i < g->n_rows; i++)
			add_row(&f, &g->row[i]);
		add_below(&f, g);
		add_str(&f, raw_property(r, "hostname"));
	}
	add(&f, &more, sizeof(more));
	raw_reader_free(r);
	return f.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	size_t piece = data[0] % 64 + 1u;	/* the first byte: how much a read returns */
	if (read_all(data + 1, size - 1, piece) != read_all(data + 1, size - 1, SIZE_MAX))
		abort();
	return 0;
}
