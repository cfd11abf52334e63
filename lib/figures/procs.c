/* SPDX-License-Identifier: BSD-3-Clause */
/* procs.c - programs: their largest memory use, and processes that are bound to few CPUs */
#include "figures/procs.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/vec.h"
#include "schema/foreign.h"

enum { HWM, RSS, THREADS, UID };

/*
 * Cut a name at its last slash, and set *part to the text after it. Returns false if there is no
 * slash.
 */
static bool procs_cut_part(struct str *name, struct str *part)
{
	size_t n = name->n;
	while (n > 0 && name->p[n - 1] != '/')
		n--;
	if (n == 0)
		return false;
	*part = str_skip(*name, n);
	name->n = n - 1;
	return true;
}

/*
 * Return the program in a device name of type proc,
 * "PROGRAM/pid/Cpus_allowed_list/Mems_allowed_list". Only PROGRAM may contain slashes.
 */
static struct str procs_program_of(struct str device)
{
	struct str name = device, part;
	for (int cut = 0; cut < 3; cut++)
		if (!procs_cut_part(&name, &part))
			return device;
	return name;
}

/*
 * Try the program of the previous row, then the program after it: rows of one program are adjacent,
 * and each sample has the same order of programs.
 */
static struct proc *procs_guess(struct procs *p, struct str name)
{
	for (size_t i = p->next ? p->next - 1 : 0; i <= p->next && i < p->n; i++) {
		if (!str_eq(str_of(p->proc[i].name), name))
			continue;
		p->next = i + 1;
		return &p->proc[i];
	}
	return NULL;
}

static struct proc *procs_find_or_add(struct procs *p, struct str name)
{
	struct proc *guessed = procs_guess(p, name);
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

static void procs_find_keys(struct procs *p, const struct record_type *t)
{
	p->type = t;
	p->key[HWM] = foreign_find(t, "VmHWM");
	p->key[RSS] = foreign_find(t, "VmRSS");
	p->key[THREADS] = foreign_find(t, "Threads");
	p->key[UID] = foreign_find(t, "Uid");
}

/* Raise *to to v if v is larger. Returns whether *to has changed. */
static bool procs_raise(uint64_t *to, uint64_t v)
{
	if (v <= *to)
		return false;
	*to = v;
	return true;
}

static uint64_t procs_key_value(const struct procs *p, const struct record_row *row, int which)
{
	int k = p->key[which];
	return k < 0 || !row_has(row, (size_t)k) ? 0 : row->value[k];
}

void procs_row(struct procs *p, const struct record_type *type, const struct record_row *row)
{
	struct str name = procs_program_of(row->device);

	if (type != p->type)
		procs_find_keys(p, type);
	if (name.n >= PROC_NAME_MAX)
		name.n = PROC_NAME_MAX - 1;
	struct proc *proc = procs_find_or_add(p, name);
	if (!proc)
		return;
	/* the keys are in kB */
	procs_raise(&proc->hwm, procs_key_value(p, row, HWM) * 1024);
	procs_raise(&proc->rss, procs_key_value(p, row, RSS) * 1024);
	procs_raise(&proc->threads, procs_key_value(p, row, THREADS));
	proc->uid = procs_key_value(p, row, UID);
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
		struct proc *t = procs_find_or_add(to, str_of(f->name));
		if (!t)
			return;
		if (procs_raise(&t->hwm, f->hwm))
			t->node = node;
		procs_raise(&t->rss, f->rss);
		procs_raise(&t->threads, f->threads);
		t->uid = f->uid ? f->uid : t->uid;
	}
}

static int procs_compare_hwm(const void *a, const void *b)
{
	const struct proc *x = a, *y = b;
	if (x->hwm != y->hwm)
		return x->hwm > y->hwm ? -1 : 1;
	return strcmp(x->name, y->name);
}

void procs_sort(struct procs *p)
{
	if (p->n > 0)
		qsort(p->proc, p->n, sizeof(*p->proc), procs_compare_hwm);
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

#define CPUS_MAX 4096

/* The CPUs on which any bound process may run. */
struct bound_cpus {
	uint64_t bit[CPUS_MAX / 64];
};

/* Count the CPUs in a list such as "0-3,8". Returns 0 if the list has another form. */
static uint64_t procs_count_list(struct str list)
{
	uint64_t n = 0;
	unsigned first, last;

	while (str_take_range(&list, CPUS_MAX, &first, &last))
		n += last - first + 1;
	return list.n == 0 ? n : 0;
}

static void procs_add_list(struct bound_cpus *set, struct str list)
{
	unsigned first, last;

	while (str_take_range(&list, CPUS_MAX, &first, &last))
		for (; first <= last; first++)
			set->bit[first / 64] |= UINT64_C(1) << first % 64;
}

/* Return the list of CPUs in a device name of type proc; empty if the name has another form. */
static struct str procs_cpus_of(struct str device)
{
	struct str nodes, cpus;
	return procs_cut_part(&device, &nodes) && procs_cut_part(&device, &cpus) ? cpus : STR("");
}

static uint64_t procs_count_cpus(const struct bound_cpus *set)
{
	uint64_t n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(set->bit); i++)
		n += (uint64_t)__builtin_popcountll(set->bit[i]);
	return n;
}

static struct bound procs_bound_of_rows(const struct record_rows *rows, uint64_t cpus)
{
	struct bound_cpus all = { { 0 } };
	struct bound ret = { 0 };
	struct str last = STR("");
	uint64_t n = 0;
	int threads = -1;

	for (size_t i = 0; i < rows->n; i++) {
		struct str list = procs_cpus_of(rows->row[i].device);
		/* most processes have the same list as the process before */
		if (!str_eq(list, last))
			n = procs_count_list(list);
		last = list;
		if (n == 0 || n >= cpus)
			continue;
		if (ret.processes++ == 0)
			threads = foreign_find(rows->type, "Threads");
		ret.threads += threads >= 0 && row_has(&rows->row[i], (size_t)threads) ?
			       rows->row[i].value[threads] : 1;
		procs_add_list(&all, list);
	}
	ret.cpus = procs_count_cpus(&all);
	return ret;
}

/*
 * Whether the processes of `a` exceed their CPUs by a larger number than those of `b`. If neither
 * has more processes than CPUs, compare threads.
 */
static bool procs_is_tighter(const struct bound *a, const struct bound *b)
{
	uint64_t of_a = a->processes > a->cpus ? a->processes - a->cpus : 0;
	uint64_t of_b = b->processes > b->cpus ? b->processes - b->cpus : 0;
	if (of_a || of_b)
		return of_a > of_b;
	return a->threads > a->cpus && a->threads - a->cpus > b->threads - b->cpus;
}

void bound_add(struct bound *to, const struct bound *more)
{
	if (procs_is_tighter(more, to))
		*to = *more;
}

void bound_take(struct bound *b, const struct record *r)
{
	const struct record_rows *procs = NULL;
	uint64_t cpus = 0;

	for (size_t i = 0; i < r->n_types; i++)
		if (strcmp(r->rows[i].type->name, "cpu") == 0)
			cpus = r->rows[i].n;
		else if (strcmp(r->rows[i].type->name, "proc") == 0)
			procs = &r->rows[i];
	if (!procs || !cpus)
		return;
	struct bound now = procs_bound_of_rows(procs, cpus);
	bound_add(b, &now);
}
