/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.c - find and print the evidence for a finding */
#include "figures/findings/evidence.h"

#include "figures/units.h"

void evidence_node(struct buf *why, const struct report *r, size_t node)
{
	buf_addf(why, "%s", text_name(node_name(r, node), 24).s);
}

bool evidence_at_least(const struct report *r, const char *id, struct derived_total *t)
{
	return total_derived(r, derived_find(id), t) &&
	       (t->bound == BOUND_NONE || t->bound == BOUND_AT_LEAST);
}

bool evidence_at_most(const struct report *r, const char *id, struct derived_total *t)
{
	return total_derived(r, derived_find(id), t) &&
	       (t->bound == BOUND_NONE || t->bound == BOUND_AT_MOST);
}

bool evidence_sum(const struct report *r, const char *id, double *sum)
{
	size_t f = figure_find(id);

	*sum = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (!value_known(&r->node[i].value[f]))
			return false;
		*sum += r->node[i].value[f].n;
	}
	return r->n > 0;
}

void evidence_put_moved(struct buf *why, double read, double written)
{
	buf_addf(why, "it read %s from disks and wrote %s", text_value(UNIT_BYTES, read).s,
		 text_value(UNIT_BYTES, written).s);
}

double evidence_seconds(const struct report *r)
{
	double seconds = 0;
	for (size_t i = 0; i < r->n; i++)
		seconds += (double)r->node[i].usec / 1e6;
	return seconds;
}
