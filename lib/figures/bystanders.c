/* SPDX-License-Identifier: BSD-3-Clause */
/* bystanders.c - find the programs outside a job that used CPU time on the job's node */
#include "figures/bystanders.h"

#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/vec.h"

/* Indexes of keys in type process; -1: the records lack the key. */
struct bystander_columns {
	int cpu, uid, kernel;
};

static int bystanders_compare_hash(const void *a, const void *b)
{
	const struct bystander_process *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static int bystanders_compare_program(const void *a, const void *b)
{
	const struct bystander *x = a, *y = b;
	int names = strcmp(x->name, y->name);
	return names ? names : x->uid < y->uid ? -1 : x->uid > y->uid;
}

static double bystanders_row_seconds(const struct record_row *row,
				     const struct bystander_columns *c)
{
	return row_double(row, (size_t)c->cpu) / 100;	/* key "cpu" is in units of 1/100 s */
}

static void bystanders_take_first(struct bystanders *p, const struct record_rows *rows,
				  const struct bystander_columns *c)
{
	p->n_first = 0;
	for (size_t i = 0; i < rows->n && i < BYSTANDERS_MAX; i++) {
		const struct record_row *row = &rows->row[i];
		if (!row_has(row, (size_t)c->cpu))
			continue;
		p->first = vec_reserve(p->first, &p->cap_first, p->n_first + 1, sizeof(*p->first));
		p->first[p->n_first++] = (struct bystander_process){ map_hash(row->device),
								   bystanders_row_seconds(row, c) };
	}
	qsort(p->first, p->n_first, sizeof(*p->first), bystanders_compare_hash);
	p->any = true;
}

/*
 * Return the CPU time in seconds that a process used since the first sample or, if it started
 * later, since its start.
 */
static double bystanders_seconds_since_first(const struct bystanders *p,
					     const struct record_row *row,
					     const struct bystander_columns *c)
{
	const struct bystander_process key = { .hash = map_hash(row->device) };
	const struct bystander_process *was = bsearch(&key, p->first, p->n_first, sizeof(key),
						    bystanders_compare_hash);
	double now = bystanders_row_seconds(row, c);
	return was && was->cpu <= now ? now - was->cpu : now;
}

static void bystanders_take_newest(struct bystanders *p, const struct record_rows *rows,
				   const struct bystander_columns *c)
{
	p->n = 0;
	for (size_t i = 0; i < rows->n && i < BYSTANDERS_MAX; i++) {
		const struct record_row *row = &rows->row[i];
		struct str name = row->device, pid;
		bool kernel = c->kernel >= 0 && row_has(row, (size_t)c->kernel) &&
			      row->value[c->kernel];
		if (!row_has(row, (size_t)c->cpu) || kernel || !str_take_until(&name, '/', &pid))
			continue;
		p->newest = vec_reserve(p->newest, &p->cap, p->n + 1, sizeof(*p->newest));
		struct bystander *one = &p->newest[p->n++];
		*one = (struct bystander){ .cpu = bystanders_seconds_since_first(p, row, c) };
		str_copy(one->name, sizeof(one->name), name);
		if (c->uid >= 0 && row_has(row, (size_t)c->uid))
			one->uid = row->value[c->uid];
	}
}

void bystanders_take(struct bystanders *p, const struct record *r)
{
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		if (strcmp(rows->type->name, "process") != 0)
			continue;
		const struct bystander_columns c = {
			record_key_find(rows->type, "cpu"), record_key_find(rows->type, "uid"),
			record_key_find(rows->type, "kernel"),
		};
		if (c.cpu < 0)
			continue;
		if (p->any)
			bystanders_take_newest(p, rows, &c);
		else
			bystanders_take_first(p, rows, &c);
	}
}

static void bystanders_insert_largest(struct bystander ret[BYSTANDERS_NAMED],
				      const struct bystander *one)
{
	size_t at = BYSTANDERS_NAMED;

	while (at > 0 && one->cpu > ret[at - 1].cpu)
		at--;
	if (at == BYSTANDERS_NAMED)
		return;
	memmove(&ret[at + 1], &ret[at], (BYSTANDERS_NAMED - 1 - at) * sizeof(*ret));
	ret[at] = *one;
}

void bystanders_end(struct bystanders *p, struct bystander ret[BYSTANDERS_NAMED])
{
	memset(ret, 0, BYSTANDERS_NAMED * sizeof(*ret));
	if (p->n > 0)
		qsort(p->newest, p->n, sizeof(*p->newest), bystanders_compare_program);
	for (size_t i = 0, k; i < p->n; i = k) {
		struct bystander sum = p->newest[i];
		for (k = i + 1; k < p->n &&
		     bystanders_compare_program(&p->newest[i], &p->newest[k]) == 0; k++)
			sum.cpu += p->newest[k].cpu;
		bystanders_insert_largest(ret, &sum);
	}
	bystanders_clear(p);
}

void bystanders_clear(struct bystanders *p)
{
	p->n = p->n_first = 0;
	p->any = false;
}

void bystanders_free(struct bystanders *p)
{
	free(p->first);
	free(p->newest);
	*p = (struct bystanders){ 0 };
}
