/* SPDX-License-Identifier: BSD-3-Clause */
/* energy.c - the energy of a job's nodes, from the best source that each of them has */
#include "report/energy.h"

#include <math.h>
#include "base/json.h"
#include "figures/derived.h"
#include "figures/units.h"

#define COVERED .99	/* of the job's time on the node, by the first and the last reading */

const char *const energy_names[ENERGY_NONE] = {
	[ENERGY_COUNTER] = "node-counter", [ENERGY_BMC] = "bmc", [ENERGY_ACPI] = "acpi",
	[ENERGY_PARTS] = "parts",
};

static struct energy counted(const struct node *n)
{
	const struct value *v = &n->value[figure_find("pm_counters.energy")];
	if (!value_known(v))
		return (struct energy){ .from = ENERGY_NONE };
	return (struct energy){ ENERGY_COUNTER, v->n, v->n, v->n };
}

static struct energy metered(const struct node *n, const char *figure, enum energy_from from)
{
	const struct value *v = &n->value[figure_find(figure)];
	if (value_unknown(v) || v->weight <= 0)
		return (struct energy){ .from = ENERGY_NONE };
	bool whole = v->weight >= COVERED * (double)n->usec / 1e6;
	return (struct energy){ from, v->area, v->low, whole ? v->high : INFINITY };
}

static struct energy of_parts(const struct node *n)
{
	struct derived_value v = derived_of(&derived[derived_find("power")], n->value,
					    (double)n->usec / 1e6);
	if (!v.known)
		return (struct energy){ .from = ENERGY_NONE };
	return (struct energy){ ENERGY_PARTS, v.over, v.over, INFINITY };
}

struct energy energy_of_node(const struct node *n)
{
	struct energy e = counted(n);
	if (e.from == ENERGY_NONE)
		e = metered(n, "ipmi_dcmi.power", ENERGY_BMC);
	if (e.from == ENERGY_NONE)
		e = metered(n, "hwmon_power.input", ENERGY_ACPI);
	return e.from == ENERGY_NONE ? of_parts(n) : e;
}

struct energy energy_of(const struct report *r)
{
	struct energy sum = { .from = ENERGY_NONE };
	bool all = true;
	for (size_t i = 0; i < r->n; i++) {
		struct energy e = energy_of_node(&r->node[i]);
		all &= e.from != ENERGY_NONE;
		if (e.from == ENERGY_NONE)
			continue;
		sum.from = sum.from == ENERGY_NONE || e.from > sum.from ? e.from : sum.from;
		sum.joules += e.joules;
		sum.least += e.least;
		sum.most += e.most;
	}
	sum.most = all ? sum.most : INFINITY;
	return sum;
}

void energy_put_json(struct buf *b, const struct energy *e, const struct cost *cost)
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
	json_close(b, '}');
}

void energy_put_text(struct buf *b, const struct energy *e)
{
	static const char *const words[ENERGY_NONE] = {
		[ENERGY_COUNTER] = "whole nodes, counted", [ENERGY_BMC] = "whole nodes, BMC",
		[ENERGY_ACPI] = "whole nodes, ACPI", [ENERGY_PARTS] = "not all nodes as a whole",
	};
	if (e->from == ENERGY_NONE)
		return;
	buf_addf(b, "%s%s", isfinite(e->most) ? "" : ">=", text_value(UNIT_JOULES, e->joules).s);
	if (isfinite(e->most) && e->most > e->least)
		buf_addf(b, ", from %s to %s", text_value(UNIT_JOULES, e->least).s,
			 text_value(UNIT_JOULES, e->most).s);
	buf_addf(b, " (%s)", words[e->from]);
}
