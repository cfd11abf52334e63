/* SPDX-License-Identifier: BSD-3-Clause */
/* totals.c - a figure over all nodes of a job */
#include "figures/totals.h"

#include <string.h>
#include "figures/derived.h"
#include "figures/limits.h"

/*
 * Return the sum of all FIGURE_SHAREs of a figure's record type on a node: 100 % for each of them.
 */
static double totals_whole(const struct node *node, size_t figure)
{
	double sum = 0;
	for (size_t i = 0; i < n_figures; i++)
		if (figures[i].how == FIGURE_SHARE &&
		    strcmp(figures[i].type, figures[figure].type) == 0)
			sum += node->value[i].n;
	return sum;
}

static double totals_percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

double node_value(const struct node *node, size_t figure)
{
	const struct value *v = &node->value[figure];
	if (figures[figure].how == FIGURE_SHARE)
		return totals_percent(v->n, totals_whole(node, figure));
	return value_of(&figures[figure], v);
}

/*
 * Whether a figure is CPU time, which is limited by the number of CPUs. Time for which tasks wait
 * for a CPU has no such limit.
 */
static bool totals_is_cpu_time(const struct figure *f)
{
	struct figures all = { figures, n_figures };
	const struct limit *limit = limit_of(all, (size_t)(f - figures));
	return limit && limit->cpus;
}

static void totals_add_rate(struct total *t, const struct node *node, const struct figure *f,
			    double v)
{
	if (node->usec == 0 || (f->job_row && f->unit == UNIT_SECONDS &&
				node_began_before(node, v) && totals_is_cpu_time(f)))
		return;
	t->rate += v / ((double)node->usec / 1e6);
	t->has_rate = true;
}

static void totals_add_node(struct total *t, size_t number, double v)
{
	if (t->nodes == 0 || v < t->min) {
		t->min = v;
		t->min_node = number;
	}
	if (t->nodes == 0 || v > t->max) {
		t->max = v;
		t->max_node = number;
	}
	t->mean += v;
	t->nodes++;
}

static void totals_add_steps(struct total *t, const struct value *v)
{
	for (int h = 0; h < DELTA_HOWS; h++)
		t->steps[h] += v->steps[h];
	t->to_0 += v->to_0;
	t->inferred += v->inferred;
	t->withheld += v->withheld;
	t->late += v->late;
	t->gone += v->gone;
	t->reopened += v->reopened;
	t->doubles += v->doubles;
	if (v->gone_usec > t->gone_usec)
		t->gone_usec = v->gone_usec;
}

bool node_lacks_job(const struct report *r, const struct node *node)
{
	bool has = !r->job || r->device;
	for (size_t i = 0; i < n_figures && !has; i++)
		has = figures[i].job_row && node->value[i].seen;
	return !has;
}

static bool totals_all_lack_job(const struct report *r)
{
	size_t n = 0;
	while (n < r->n && node_lacks_job(r, &r->node[n]))
		n++;
	return n == r->n;
}

bool total_of(const struct report *r, size_t figure, struct total *ret)
{
	struct total t = { 0 };
	double sum = 0, all = 0;

	if (!figure_is_shown(&figures[figure]))
		return false;
	for (size_t i = 0; i < r->n; i++) {
		const struct value *v = &r->node[i].value[figure];
		t.saturated += v->saturated > 0;
		t.resetting += v->resetting > 0;
		t.beyond += v->beyond > 0;
		t.below_0 += v->below_0;
		t.lacking += v->lacking;
		t.unknown += value_unknown(v);
		t.at_edges += value_only_at_edges(v) && r->node[i].samples > 1;
		if (!value_known(v))
			continue;
		totals_add_node(&t, i, node_value(&r->node[i], figure));
		totals_add_steps(&t, v);
		totals_add_rate(&t, &r->node[i], &figures[figure], value_of(&figures[figure], v));
		t.at_least += v->at_least > 0;
		sum += value_of(&figures[figure], v);
		all += totals_whole(&r->node[i], figure);
	}
	t.no_row = figures[figure].job_row && t.nodes == 0 && totals_all_lack_job(r);
	if (t.nodes == 0 && t.unknown == 0 && !t.no_row)
		return false;
	t.is_part = t.at_least > 0 || (figures[figure].job_row && t.nodes < r->n);
	if (t.nodes > 0)
		t.mean /= (double)t.nodes;
	t.imbalance = t.max > 0 ? totals_percent(t.max - t.mean, t.max) : 0;
	t.inferred_share = totals_percent(t.inferred, sum + t.withheld);
	t.n = sum;
	if (figures[figure].how == FIGURE_SHARE) {
		t.seconds = sum;
		t.n = totals_percent(sum, all);
	}
	*ret = t;
	return true;
}

static void totals_add_derived(struct derived_total *t, size_t node, const struct derived *d,
			       const struct derived_value *v)
{
	double n = derived_number(d, v);

	if (t->nodes == 0 || n < t->min) {
		t->min = n;
		t->min_node = node;
	}
	if (t->nodes == 0 || n > t->max) {
		t->max = n;
		t->max_node = node;
	}
	derived_add(&t->all, v);
	t->nodes++;
}

bool total_derived(const struct report *r, size_t i, struct derived_total *ret)
{
	struct derived_total t = { .nodes = 0 };

	for (size_t node = 0; node < r->n; node++) {
		const struct node *n = &r->node[node];
		struct derived_value v = derived_of(&derived[i], n->value, (double)n->usec / 1e6);
		if (!v.known)
			continue;
		totals_add_derived(&t, node, &derived[i], &v);
		if (n->course.peak[i].at && (!t.peak.at || n->course.peak[i].rate > t.peak.rate)) {
			t.peak = n->course.peak[i];
			t.peak_node = node;
		}
	}
	if (t.all.known) {
		t.n = derived_number(&derived[i], &t.all);
		t.bound = derived_bound(&t.all);
	}
	/* rounding: sums of equal rates may differ in the last bits */
	if (t.peak.rate < (1 - 1e-9) * t.n)
		t.peak.at = 0;	/* the time of the largest rate is unknown */
	*ret = t;
	return t.all.known;
}

uint64_t steps_inferred(const uint64_t *steps)
{
	return steps[DELTA_WRAPPED] + steps[DELTA_DIP] + steps[DELTA_RESET] + steps[DELTA_MISSING];
}

double total_count(const struct report *r, const char *id)
{
	struct total t;
	size_t i = figure_find(id);
	return i < n_figures && total_of(r, i, &t) && t.nodes > 0 ? t.n : 0;
}

double hidden_count(const struct report *r, const char *id)
{
	double sum = 0;
	size_t f = figure_find(id);
	for (size_t i = 0; i < r->n && f < n_figures; i++)
		sum += value_known(&r->node[i].value[f]) ? r->node[i].value[f].n : 0;
	return sum;
}
