/* SPDX-License-Identifier: BSD-3-Clause */
/* energy.c - compute the energy of a job's nodes, from the best source on each node */
#include "report/energy.h"

#include <math.h>
#include "base/json.h"
#include "figures/derived.h"
#include "figures/units.h"

/* accepted relative difference between a node's energy and the sum of its jobs' shares */
#define DIVIDED 1e-3
/*
 * fraction of the job's time on the node that the power readings must cover; if the readings cover
 * less, the energy has no upper bound
 */
#define COVERED .99

const char *const energy_names[ENERGY_NONE] = {
	[ENERGY_COUNTER] = "node-counter", [ENERGY_BMC] = "bmc", [ENERGY_ACPI] = "acpi",
	[ENERGY_PARTS] = "parts",
};

const char *const share_names[SHARE_KINDS] = { "", "measured", "estimated", "unknown" };

static struct energy counted(const struct node *n)
{
	const struct value *v = &n->value[figure_find("pm_counters.energy")];
	if (!value_known(v))
		return (struct energy){ .from = ENERGY_NONE };
	return (struct energy){ ENERGY_COUNTER, v->n, v->n, v->n, { SHARE_NONE, 0, 0, 0 } };
}

static struct energy metered(const struct node *n, const char *figure, enum energy_from from)
{
	const struct value *v = &n->value[figure_find(figure)];
	if (value_unknown(v) || v->weight <= 0)
		return (struct energy){ .from = ENERGY_NONE };
	bool whole = v->weight >= COVERED * (double)n->usec / 1e6;
	return (struct energy){ from, v->area, v->low, whole ? v->high : INFINITY,
				{ SHARE_NONE, 0, 0, 0 } };
}

static struct energy of_parts(const struct node *n)
{
	struct derived_value v = derived_of(&derived[derived_find("power")], n->value,
					    (double)n->usec / 1e6);
	if (!v.known)
		return (struct energy){ .from = ENERGY_NONE };
	return (struct energy){ ENERGY_PARTS, v.over, v.over, INFINITY, { SHARE_NONE, 0, 0, 0 } };
}

/*
 * Compute the job's share of a node's energy. The share is unknown if a part of the energy could
 * not be divided among the jobs.
 */
static struct energy_share share_of(const struct energy *e, const struct node *n)
{
	const struct share *s = &n->course.share[e->from];

	if (n->shared == 0)
		return (struct energy_share){ SHARE_MEASURED, e->joules, e->least, e->most };
	if (s->unknown || fabs(s->of - e->joules) > DIVIDED * e->joules)
		return (struct energy_share){ .is = SHARE_UNKNOWN };
	return (struct energy_share){ SHARE_ESTIMATED, s->joules, s->least,
				      isfinite(e->most) ? s->most : INFINITY };
}

struct energy energy_of_node(const struct report *r, const struct node *n)
{
	struct energy e = counted(n);
	if (e.from == ENERGY_NONE)
		e = metered(n, "ipmi_dcmi.power", ENERGY_BMC);
	if (e.from == ENERGY_NONE)
		e = metered(n, "hwmon_power.input", ENERGY_ACPI);
	if (e.from == ENERGY_NONE)
		e = of_parts(n);
	if (e.from != ENERGY_NONE && r->job)
		e.share = share_of(&e, n);
	return e;
}

static void add_share(struct energy_share *to, const struct energy_share *more)
{
	to->is = more->is > to->is ? more->is : to->is;
	to->joules += more->joules;
	to->least += more->least;
	to->most += more->most;
	if (to->is == SHARE_UNKNOWN)
		*to = (struct energy_share){ .is = SHARE_UNKNOWN };
}

struct energy energy_of(const struct report *r)
{
	struct energy sum = { .from = ENERGY_NONE };
	bool all = true;
	for (size_t i = 0; i < r->n; i++) {
		struct energy e = energy_of_node(r, &r->node[i]);
		all &= e.from != ENERGY_NONE;
		if (e.from == ENERGY_NONE)
			continue;
		sum.from = sum.from == ENERGY_NONE || e.from > sum.from ? e.from : sum.from;
		sum.joules += e.joules;
		sum.least += e.least;
		sum.most += e.most;
		add_share(&sum.share, &e.share);
	}
	sum.most = all ? sum.most : INFINITY;
	sum.share.most = all ? sum.share.most : INFINITY;
	return sum;
}

bool energy_cost(const struct energy *e, const struct factors *f, int64_t start, int64_t end,
		 struct bill *ret)
{
	if (!factors_are_set(f) || e->from == ENERGY_NONE || e->share.is == SHARE_UNKNOWN)
		return false;
	*ret = factors_cost(f, e->share.is ? e->share.joules : e->joules, start, end);
	return true;
}

static void energy_put_share_json(struct buf *b, const struct energy_share *s)
{
	if (s->is == SHARE_NONE)
		return;
	json_open(b, "share", '{');
	json_str(b, "is", str_of(share_names[s->is]));
	if (s->is != SHARE_UNKNOWN) {
		json_double(b, "joules", s->joules);
		json_double(b, "joules_least", s->least);
		if (isfinite(s->most))
			json_double(b, "joules_most", s->most);
	}
	json_close(b, '}');
}

void energy_put_json(struct buf *b, const struct energy *e, const struct bill *cost)
{
	if (e->from == ENERGY_NONE)
		return;
	json_open(b, "energy", '{');
	json_double(b, "joules", e->joules);
	json_str(b, "joules_from", str_of(energy_names[e->from]));
	json_double(b, "joules_least", e->least);
	if (isfinite(e->most))
		json_double(b, "joules_most", e->most);
	if (cost)
		cost_put_json(b, cost);
	energy_put_share_json(b, &e->share);
	json_close(b, '}');
}

static void put_joules(struct buf *b, double joules, double least, double most)
{
	buf_addf(b, "%s%s", isfinite(most) ? "" : ">=", text_value(UNIT_JOULES, joules).s);
	if (isfinite(most) && most > least)
		buf_addf(b, ", from %s to %s", text_value(UNIT_JOULES, least).s,
			 text_value(UNIT_JOULES, most).s);
}

void energy_put_text(struct buf *b, const struct energy *e)
{
	static const char *const words[ENERGY_NONE] = {
		[ENERGY_COUNTER] = "whole nodes, counted", [ENERGY_BMC] = "whole nodes, BMC",
		[ENERGY_ACPI] = "whole nodes, ACPI", [ENERGY_PARTS] = "not all nodes as a whole",
	};
	if (e->from == ENERGY_NONE)
		return;
	put_joules(b, e->joules, e->least, e->most);
	buf_addf(b, " (%s)", words[e->from]);
}

void energy_put_share(struct buf *b, const struct energy_share *s)
{
	if (s->is == SHARE_UNKNOWN)
		buf_add(b, STR("not known: other jobs were on its nodes"));
	if (s->is != SHARE_ESTIMATED)
		return;
	put_joules(b, s->joules, s->least, s->most);
	buf_add(b, STR(" (estimated)"));
}
