/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.c - how much of each quantity, such as bytes, was counted between two samples */
#include "figures/counted.h"

#include <string.h>

static void counted_add(struct counted *c, const struct counted *more, double weight)
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
		/* a slow key (R=S in the schema), which this sample lacks */
		bool slow = step->is == STEP_NONE && s->last[i].usec;
		if (!q || (step->is == STEP_NONE && !slow))
			continue;
		counted_add(&counted[q], &(struct counted){ true, slow || step->is == STEP_BROKEN,
							    step->from, step->to, step->n }, 1);
	}
}

/* Return the weighted sum of the terms' quantities. .any is false if the sum is unknown. */
static struct counted counted_sum_terms(const struct counted counted[N_QUANTITIES],
					const struct derived_term *term)
{
	struct counted c = { .any = false };
	for (size_t k = 0; k < DERIVED_TERMS && term[k].quantity; k++)
		counted_add(&c, &counted[term[k].quantity], term[k].weight);
	c.any &= !c.broken;
	return c;
}

static bool counted_was_multiplexed(const struct counted counted[N_QUANTITIES])
{
	return counted[Q_ENABLED].n > 1.01 * counted[Q_RUNNING].n;
}

static bool counted_is_of_hardware(const struct derived *d)
{
	return d->over[0].quantity >= Q_INSTRUCTIONS && d->over[0].quantity <= Q_LOADS_REMOTE;
}

bool counted_derived(const struct counted counted[N_QUANTITIES], const struct derived *d,
		     double *value, int64_t *from, int64_t *to)
{
	struct counted over = counted_sum_terms(counted, d->over);
	double scale = d->scale > 0 ? d->scale : 1, under = (double)(over.to - over.from) / 1e6;

	if (!over.any || over.to <= over.from ||
	    (counted_was_multiplexed(counted) && counted_is_of_hardware(d)))
		return false;
	if (d->under[0].quantity) {
		struct counted c = counted_sum_terms(counted, d->under);
		if (!c.any || c.from != over.from || c.to != over.to || c.n <= 0)
			return false;
		under = c.n;
	}
	*value = scale * over.n / under;
	*from = over.from;
	*to = over.to;
	return true;
}
