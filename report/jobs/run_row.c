/* SPDX-License-Identifier: BSD-3-Clause */
/* run_row.c - serialize the results of a run (efficiency, figures, program, nodes) as a "row" */
#include "report/jobs/run_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/totals.h"

/* version of the rows; increase this when a change makes other rows from the same records */
#define FORMULA 12
#define HOUR    3.6e9	/* microseconds per hour */

/* Head of a row; the figures' values follow, then the figure number of each, then the nodes. */
struct head {
	struct job_used used;
	double node_hours;
	uint64_t n_values, n_nodes;
	char program[PROC_NAME_MAX];
};
/*
 * A figure number and the bound of its value share 16 bits: the bound is in the bits from
 * BOUND_SHIFT on.
 */
#define BOUND_SHIFT 14
#define FIGURE_MASK ((1u << BOUND_SHIFT) - 1)

/* Data of a node in a row; the node's name and a NUL follow. */
struct node_head {
	double hours, unused, cpus, cpus_of, gpus, gpus_of, joules;
	struct slow_node slow;
};

size_t run_figures(void)
{
	return n_figures + n_derived;
}

struct figure_id run_figure_name(size_t figure)
{
	struct figure_id id = { "" };
	if (figure < n_figures)
		return figure_id(&figures[figure]);
	str_copy(id.s, sizeof(id.s), str_of(derived[figure - n_figures].id));
	return id;
}

size_t run_figure_find(struct str name)
{
	size_t i = 0;
	while (i < run_figures() && !str_eq(name, str_of(run_figure_name(i).s)))
		i++;
	return i;
}

struct text run_value_text(size_t figure, const struct run_value *v)
{
	static const char *const sides[] = {
		[BOUND_NONE] = "", [BOUND_AT_LEAST] = ">=", [BOUND_AT_MOST] = "<=",
	};
	struct text number, all;

	if (figure < n_figures) {
		const struct figure *f = &figures[figure];
		number = f->how == FIGURE_SHARE ? text_percent(v->n) : text_value(f->unit, v->n);
	} else {
		struct axis a = axis_of_derived(&derived[figure - n_figures]);
		snprintf(number.s, sizeof(number.s), "%.4g%s%.20s", a.by * v->n,
			 a.unit[0] ? " " : "", a.unit);
	}
	snprintf(all.s, sizeof(all.s), "%s%.44s", sides[v->bound], number.s);
	return all;
}

static bool value_of_total(const struct report *r, size_t figure, struct run_value *ret)
{
	const struct figure *f = &figures[figure];
	struct total t;

	if (!total_of(r, figure, &t) || t.nodes == 0)
		return false;
	ret->n = f->how == FIGURE_PEAK || f->how == FIGURE_LIMIT ? t.max :
		 f->how == FIGURE_MEAN ? t.mean : t.n;
	ret->bound = t.is_part || t.unknown ? BOUND_AT_LEAST : BOUND_NONE;
	return true;
}

static bool value_of_run(const struct report *r, size_t figure, struct run_value *ret)
{
	struct derived_total t;

	if (figure < n_figures)
		return value_of_total(r, figure, ret);
	if (!total_derived(r, figure - n_figures, &t) || t.bound == BOUND_UNKNOWN)
		return false;
	*ret = (struct run_value){ t.n, t.bound };
	return true;
}

static void put(struct buf *b, const void *p, size_t n)
{
	buf_add(b, (struct str){ p, n });
}

static size_t put_values(struct buf *b, const struct report *r)
{
	struct buf which CLEANUP(buf_free) = { 0 };
	struct run_value v;
	size_t n = 0;

	for (size_t i = 0; i < run_figures(); i++) {
		if (!value_of_run(r, i, &v))
			continue;
		uint16_t word = (uint16_t)(i | (size_t)v.bound << BOUND_SHIFT);
		put(b, &v.n, sizeof(v.n));
		put(&which, &word, sizeof(word));
		n++;
	}
	buf_add(b, buf_str(&which));
	return n;
}

static double run_row_put_node(struct buf *b, const struct report *r, size_t node,
			       const struct slow_node *slow)
{
	struct used cpus = used_of_node(r, node, USED_CPU), gpus = used_of_node(r, node, USED_GPU);
	const struct node_head h = {
		.hours = (double)r->node[node].usec / HOUR, .unused = job_unused_of_node(r, node),
		.cpus = cpus.n, .cpus_of = cpus.of, .gpus = gpus.n, .gpus_of = gpus.of,
		.joules = energy_of_node(r, &r->node[node]).share.joules, .slow = *slow,
	};
	put(b, &h, sizeof(h));
	put(b, r->node[node].name, strlen(r->node[node].name) + 1);
	return h.hours;
}

/* Copy each member into zeroed memory, because padding would otherwise contain random bytes. */
static void fill_used(struct job_used *to, const struct job_used *u)
{
	to->known = u->known;
	memcpy(to->exit, u->exit, sizeof(to->exit));
	memcpy(to->state, u->state, sizeof(to->state));
	for (size_t i = 0; i < USED_WHATS; i++) {
		to->used[i].n = u->used[i].n;
		to->used[i].of = u->used[i].of;
		to->used[i].at_least = u->used[i].at_least;
		to->used[i].at_most = u->used[i].at_most;
		to->used[i].measured = u->used[i].measured;
		to->used[i].from_job = u->used[i].from_job;
		to->used[i].full = u->used[i].full;
	}
	to->memory_peak = u->memory_peak;
	to->energy.from = u->energy.from;
	to->energy.joules = u->energy.joules;
	to->energy.least = u->energy.least;
	to->energy.most = u->energy.most;
	to->energy.share.is = u->energy.share.is;
	to->energy.share.joules = u->energy.share.joules;
	to->energy.share.least = u->energy.share.least;
	to->energy.share.most = u->energy.share.most;
	to->parts = u->parts;
	to->unused = u->unused;
	memcpy(to->finding, u->finding, sizeof(to->finding));
	to->n_findings = u->n_findings;
}

void run_row_put(struct buf *b, const struct report *r, const struct job_used *u)
{
	struct head h;
	size_t at = b->n;

	memset(&h, 0, sizeof(h));
	fill_used(&h.used, u);
	h.n_nodes = r->n;
	if (r->procs.n)
		str_copy(h.program, sizeof(h.program), str_of(r->procs.proc[0].name));
	put(b, &h, sizeof(h));
	h.n_values = put_values(b, r);
	struct slow_node *slow = xrealloc(NULL, r->n * sizeof(*slow));
	slow_of(r, slow);
	for (size_t i = 0; i < r->n; i++)
		h.node_hours += run_row_put_node(b, r, i, &slow[i]);
	free(slow);
	memcpy(b->p + at, &h, sizeof(h));
}

static bool takes(struct str *from, void *to, size_t n)
{
	if (from->n < n)
		return false;
	memcpy(to, from->p, n);
	*from = str_skip(*from, n);
	return true;
}

static uint16_t word_at(const struct run_row *row, size_t i)
{
	uint16_t word;
	memcpy(&word, row->values.p + row->n_values * sizeof(double) + i * sizeof(word),
	       sizeof(word));
	return word;
}

/* Check that the figure numbers of a row are valid and in ascending order. */
static bool values_are_sound(const struct run_row *row)
{
	for (size_t i = 0; i < row->n_values; i++) {
		unsigned word = word_at(row, i), before = i ? word_at(row, i - 1) : 0;
		if ((word & FIGURE_MASK) >= run_figures() ||
		    word >> BOUND_SHIFT == BOUND_UNKNOWN ||
		    (i && (before & FIGURE_MASK) >= (word & FIGURE_MASK)))
			return false;
	}
	return true;
}

static bool nodes_are_sound(const struct run_row *row)
{
	struct str at = row->nodes;
	struct run_node n;
	size_t found = 0;

	while (run_row_next_node(&at, &n))
		found++;
	return at.n == 0 && found == row->n_nodes;
}

bool run_row_take(struct str bytes, struct run_row *ret)
{
	const size_t each = sizeof(double) + sizeof(uint16_t);
	struct str rest = bytes;
	struct head h;

	if (!takes(&rest, &h, sizeof(h)) || !memchr(h.program, '\0', sizeof(h.program)) ||
	    !job_used_take(bytes, &ret->used) || h.n_values > rest.n / each)
		return false;
	ret->node_hours = h.node_hours;
	ret->program = bytes.p + offsetof(struct head, program);
	ret->n_values = h.n_values;
	ret->values = (struct str){ rest.p, h.n_values * each };
	ret->n_nodes = h.n_nodes;
	ret->nodes = str_skip(rest, ret->values.n);
	return values_are_sound(ret) && nodes_are_sound(ret);
}

bool run_row_value(const struct run_row *row, size_t figure, struct run_value *ret)
{
	size_t from = 0, to = row->n_values;

	while (from < to) {
		size_t i = (from + to) / 2, at = word_at(row, i) & FIGURE_MASK;
		if (at == figure) {
			memcpy(&ret->n, row->values.p + i * sizeof(double), sizeof(double));
			ret->bound = (enum derived_bound)(word_at(row, i) >> BOUND_SHIFT);
			return true;
		}
		*(at < figure ? &from : &to) = at < figure ? i + 1 : i;
	}
	return false;
}

bool run_row_next_node(struct str *at, struct run_node *ret)
{
	struct node_head h;
	struct str rest = *at;

	if (!takes(&rest, &h, sizeof(h)))
		return false;
	const char *end = memchr(rest.p, '\0', rest.n);
	if (!end)
		return false;
	*ret = (struct run_node){
		.name = rest.p, .hours = h.hours, .unused = h.unused,
		.cpus = { .n = h.cpus, .of = h.cpus_of }, .gpus = { .n = h.gpus, .of = h.gpus_of },
		.joules = h.joules, .slow = h.slow,
	};
	*at = str_skip(rest, (size_t)(end + 1 - rest.p));
	return true;
}

static void put_number(struct buf *b, double v)
{
	put(b, &v, sizeof(v));
}

static void put_site(struct buf *b, const struct finding_site *site)
{
	for (size_t i = 0; i < n_finding_rules; i++) {
		const struct finding_rule *rule = &finding_rules[i];
		const struct finding_site *s = &site[i];
		buf_addf(b, "%s %d\n", rule->name, s->off);
		put_number(b, s->set ? s->threshold : rule->usual);
		put_number(b, s->timed ? s->seconds : rule->seconds);
	}
}

uint64_t run_row_formula(const struct finding_site *site)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	buf_addf(&b, "%s %d %zu %zu\n", PACKAGE_VERSION, FORMULA, sizeof(struct head),
		 sizeof(struct node_head));
	put_number(&b, 1);	/* the bytes of this number depend on the machine's byte order */
	for (size_t i = 0; i < n_figures; i++) {
		buf_addf(&b, "%s %d %d\n", figure_id(&figures[i]).s, figures[i].how,
			 figures[i].once);
		put_number(&b, figures[i].scale);
	}
	for (size_t i = 0; i < n_derived; i++)
		buf_addf(&b, "%s %s\n", derived[i].id, derived[i].formula);
	for (size_t i = 0; i < SLOW_MEASURES; i++) {
		buf_addf(&b, "%s\n", slow_measures[i].name);
		put_number(&b, slow_measures[i].least);
	}
	put_site(&b, site);
	return str_hash(buf_str(&b));
}
