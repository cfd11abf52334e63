/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.c - how much of each quantity there was from one sample to the next */
#include "figures/counted.h"

#include <string.h>

static void add(struct counted *c, const struct counted *more, double weight)
{
	if (!more->any && !more->broken)
		return;
	if (more->broken || (c->any && (more->from != c->from || more->to != c->to))) {
		c->broken = true;
		return;
	}
	*c = (struct counted){ true, c->broken, more->from, more->to, c->n + weight * more->n };
}

void counted_take(struct counted counted[N_QUANTITIES], const struct steps *s)
{
	memset(counted, 0, N_QUANTITIES * sizeof(*counted));
	for (size_t i = 0; i < s->table.n; i++) {
		const struct step *step = &s->step[i];
		enum quantity q = s->table.row[i].quantity;
		bool slow = step->is == STEP_NONE && s->last[i].usec;	/* not in this sample */
		if (!q || (step->is == STEP_NONE && !slow))
			continue;
		add(&counted[q], &(struct counted){ true, slow || step->is == STEP_BROKEN,
						    step->from, step->to, step->n }, 1);
	}
}

/* The weighted sum; not .any if some of it is not known. */
static struct counted sum_of(const struct counted counted[N_QUANTITIES],
			     const struct derived_term *term)
{
	struct counted c = { .any = false };
	for (size_t k = 0; k < DERIVED_TERMS && term[k].quantity; k++)
		add(&c, &counted[term[k].quantity], term[k].weight);
	c.any &= !c.broken;
	return c;
}

static bool took_turns(const struct counted counted[N_QUANTITIES])
{
	return counted[Q_ENABLED].n > 1.01 * counted[Q_RUNNING].n;
}

static bool is_of_counters(const struct derived *d)
{
	return d->over[0].quantity >= Q_INSTRUCTIONS && d->over[0].quantity <= Q_LOADS_REMOTE;
}

bool counted_derived(const struct counted counted[N_QUANTITIES], const struct derived *d,
		     double *value, int64_t *from, int64_t *to)
{
	struct counted over = sum_of(counted, d->over);
	double scale = d->scale > 0 ? d->scale : 1, under = (double)(over.to - over.from) / 1e6;

	if (!over.any || over.to <= over.from || (took_turns(counted) && is_of_counters(d)))
		return false;
	if (d->under[0].quantity) {
		struct counted c = sum_of(counted, d->under);
		if (!c.any || c.from != over.from || c.to != over.to || c.n <= 0)
			return false;
		under = c.n;
	}
	*value = scale * over.n / under;
	*from = over.from;
	*to = over.to;
	return true;
}
