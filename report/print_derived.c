/* SPDX-License-Identifier: BSD-3-Clause */
/* print_derived.c - print the derived figures of a report */
#include "report/print.h"

#include <string.h>
#include "report/shown.h"

/*
 * Print a unit in "width" columns, then "at", the node or time of the peak. If "at" is empty, print
 * "skip" blanks and the unit, without trailing blanks.
 */
static void print_words(FILE *out, int skip, int width, const char *unit, const char *at)
{
	if (*at)
		fprintf(out, " %-*s %s\n", width, unit, at);
	else
		fprintf(out, *unit ? "%*s %s\n" : "\n", skip, "", unit);
}

static void derived_print_row(FILE *out, const struct report *r, const struct derived *d,
			      const struct derived_total *t)
{
	static const char *const sign[] = {
		[BOUND_NONE] = "", [BOUND_AT_LEAST] = ">=", [BOUND_AT_MOST] = "<=",
	};
	struct axis shown = axis_of_derived(d);
	/* "used" is the number of columns before the name of the node with the peak */
	size_t unit = str_of(shown.unit).n, used = 66 + (unit > 4 ? unit : 4);
	struct text peak = { "" }, at = { "" };

	if (t->bound == BOUND_UNKNOWN) {
		fprintf(out, "  %-25s%10s\n", d->label, "unknown");
		return;
	}
	if (t->peak.at) {
		peak = shown_number(shown.by * t->peak.rate);
		at = r->n > 1 ? text_name(node_name(r, t->peak_node), PRINT_COLUMNS - used) :
				text_clock(t->peak.at);
	}
	fprintf(out, "  %-25s%2s%8s", d->label, sign[t->bound],
		shown_number(shown.by * t->n).s);
	if (r->n > 1)
		fprintf(out, " %8s %8s", shown_number(shown.by * t->min).s,
			shown_number(shown.by * t->max).s);
	if (peak.s[0])
		fprintf(out, " %8s", peak.s);
	print_words(out, peak.s[0] ? 0 : 9, r->n > 1 ? 4 : 7, shown.unit, at.s);
}

static void print_left_out(FILE *out, const struct report *r)
{
	struct derived_total t;
	uint32_t most = 0;

	for (size_t i = 0; i < n_derived; i++)
		if (total_derived(r, i, &t) && t.all.left_out > most)
			most = t.all.left_out;
	if (most)
		fprintf(out, "  without %u device%s whose counters had other events for a time\n",
			most, most == 1 ? "" : "s");
}

static bool all_zero(const struct derived_total *t)
{
	return t->max == 0 && t->min == 0;
}

void print_derived(FILE *out, const struct report *r, const char *bold, const char *plain)
{
	const char *section = "";
	struct derived_total t;

	for (size_t i = 0; i < n_derived; i++) {
		if (!total_derived(r, i, &t) || all_zero(&t))
			continue;
		if (strcmp(section, derived[i].section) != 0) {
			section = derived[i].section;
			fprintf(out, "\n%s%-27s%10s", bold, section,
				r->n > 1 ? "mean/node" : "mean");
			fprintf(out, "%s %8s%s%s\n", r->n > 1 ? "      min      max" : "", "peak",
				r->n > 1 ? "      on" : "", plain);
		}
		derived_print_row(out, r, &derived[i], &t);
	}
	print_left_out(out, r);
}
