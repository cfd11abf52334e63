/* SPDX-License-Identifier: BSD-3-Clause */
/* procs.c - the high-water marks of processes, by the name of their program */
#include "figures/procs.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "schema/foreign.h"

enum { HWM, RSS, THREADS };

/*
 * The program of "name/pid/Cpus_allowed_list/Mems_allowed_list": a name may hold slashes, what
 * follows it does not.
 */
static struct str program(struct str device)
{
	struct str name = device;
	for (int cut = 0; cut < 3; cut++) {
		while (name.n > 0 && name.p[name.n - 1] != '/')
			name.n--;
		if (name.n == 0)
			return device;
		name.n--;
	}
	return name;
}

/* The rows of one program stand together, and programs are in the same order in each sample. */
static struct proc *guess(struct procs *p, struct str name)
{
	for (size_t i = p->next ? p->next - 1 : 0; i <= p->next && i < p->n; i++) {
		if (!str_eq(str_of(p->proc[i].name), name))
			continue;
		p->next = i + 1;
		return &p->proc[i];
	}
	return NULL;
}

static struct proc *find(struct procs *p, struct str name)
{
	struct proc *guessed = guess(p, name);
	if (guessed)
		return guessed;
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&p->by_name, hash, at)); ) {
		if (!str_eq(str_of(p->proc[at->value.n].name), name))
			continue;
		p->next = at->value.n + 1;
		return &p->proc[at->value.n];
	}
	if (p->n == PROCS_MAX)
		return NULL;
	map_add(&p->by_name, hash, (union map_value){ .n = p->n });
	p->next = p->n + 1;
	p->proc = vec_reserve(p->proc, &p->cap, p->n + 1, sizeof(*p->proc));
	p->proc[p->n] = (struct proc){ 0 };
	str_copy(p->proc[p->n].name, PROC_NAME_MAX, name);
	return &p->proc[p->n++];
}

static void find_keys(struct procs *p, const struct record_type *t)
{
	p->type = t;
	p->key[HWM] = foreign_find(t, "VmHWM");
	p->key[RSS] = foreign_find(t, "VmRSS");
	p->key[THREADS] = foreign_find(t, "Threads");
}

/* Takes the larger one; true if it is the new one. */
static bool raise_to(uint64_t *to, uint64_t v)
{
	if (v <= *to)
		return false;
	*to = v;
	return true;
}

static uint64_t key_value(const struct procs *p, const struct record_row *row, int which)
{
	int k = p->key[which];
	return k < 0 || !row_has(row, (size_t)k) ? 0 : row->value[k];
}

void procs_row(struct procs *p, const struct record_type *type, const struct record_row *row)
{
	struct str name = program(row->device);

	if (type != p->type)
		find_keys(p, type);
	if (name.n >= PROC_NAME_MAX)
		name.n = PROC_NAME_MAX - 1;
	struct proc *proc = find(p, name);
	if (!proc)
		return;
	raise_to(&proc->hwm, key_value(p, row, HWM) * 1024);	/* U=kB */
	raise_to(&proc->rss, key_value(p, row, RSS) * 1024);
	raise_to(&proc->threads, key_value(p, row, THREADS));
}

void procs_merge(struct procs *to, const struct procs *from, size_t node, double memory)
{
	to->beyond += from->beyond;
	for (size_t i = 0; i < from->n; i++) {
		const struct proc *f = &from->proc[i];
		if (memory > 0 && ((double)f->hwm > memory || (double)f->rss > memory)) {
			to->beyond++;
			continue;
		}
		struct proc *t = find(to, str_of(f->name));
		if (!t)
			return;
		if (raise_to(&t->hwm, f->hwm))
			t->node = node;
		raise_to(&t->rss, f->rss);
		raise_to(&t->threads, f->threads);
	}
}

static int by_hwm(const void *a, const void *b)
{
	const struct proc *x = a, *y = b;
	if (x->hwm != y->hwm)
		return x->hwm > y->hwm ? -1 : 1;
	return strcmp(x->name, y->name);
}

void procs_sort(struct procs *p)
{
	if (p->n > 0)
		qsort(p->proc, p->n, sizeof(*p->proc), by_hwm);
}

void procs_new_file(struct procs *p)
{
	p->type = NULL;
}

void procs_clear(struct procs *p)
{
	p->n = p->next = p->beyond = 0;
	map_clear(&p->by_name);
}

void procs_free(struct procs *p)
{
	free(p->proc);
	map_free(&p->by_name);
	*p = (struct procs){ 0 };
}
