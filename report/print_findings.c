/* SPDX-License-Identifier: BSD-3-Clause */
/* print_findings.c - the top of a job report: what of the given was used, and what to do */
#include "report/print.h"

#include <string.h>
#include "figures/findings.h"
#include "figures/units.h"
#include "figures/used.h"

#define BAR 30		/* characters */
#define LINE 76

/* A use from .low to .high is nobody's concern. */
static const struct bar {
	const char *label;
	enum used_what what;
	enum figure_unit unit;
	double low, high;	/* percent */
} bars[] = {
	{ "CPUs",   USED_CPU,    UNIT_COUNT, 65, 1000 },
	{ "memory", USED_MEMORY, UNIT_BYTES, 0,  95   },
	{ "GPUs",   USED_GPU,    UNIT_COUNT, 15, 1000 },
	{ "time",   USED_TIME,   UNIT_COUNT, 10, 99.9 },
};

static struct text amount(const struct bar *bar, double v)
{
	struct text t;
	if (bar->what == USED_TIME)
		return text_duration((int64_t)(v * 1e6));
	if (bar->unit == UNIT_BYTES)
		return text_value(UNIT_BYTES, v);
	snprintf(t.s, sizeof(t.s), v < 100 ? "%.4g" : "%.0f", v);
	return t;
}

static void print_bar(FILE *out, const struct bar *bar, const struct used *u, bool colour)
{
	double percent = used_percent(u);
	int n = percent > 100 ? BAR : (int)(percent * BAR / 100 + .5);
	bool bad = percent < bar->low || percent > bar->high;

	fprintf(out, "  %-8s%s|%.*s%*s|%s%8s  %s%s of %s\n", bar->label,
		colour && bad ? "\033[31m" : "", n, "##############################", BAR - n, "",
		colour && bad ? "\033[0m" : "", text_percent(percent).s, u->at_least ? ">= " : "",
		amount(bar, u->n).s, amount(bar, u->of).s);
}

void print_used(FILE *out, const struct report *r, bool colour)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(bars); i++) {
		struct used u = used_of(r, bars[i].what);
		if (u.of <= 0)
			continue;
		if (!any)
			fprintf(out, "\n%sUsed of what it had%s\n", colour ? "\033[1m" : "",
				colour ? "\033[0m" : "");
		any = true;
		print_bar(out, &bars[i], &u, colour);
	}
}

/* Words of at most LINE columns, the later lines further in. */
static void print_text_wrapped(FILE *out, int indent, struct str text)
{
	struct str word;
	size_t at = LINE;
	bool first = true;

	while (str_take_word(&text, &word)) {
		if (at + 1 + word.n > LINE) {
			fprintf(out, "%s%*s", first ? "" : "\n", indent, "");
			at = (size_t)indent;
			first = false;
		} else {
			fputc(' ', out);
			at++;
		}
		fprintf(out, STR_FMT, STR_ARG(word));
		at += word.n;
	}
	fputc('\n', out);
}

void print_findings(FILE *out, const struct report *r, const struct finding_site *site,
		    const char *bold, const char *plain)
{
	struct findings f = findings_of(r, site);

	if (f.n > 0)
		fprintf(out, "\n%sFindings%s\n", bold, plain);
	for (size_t i = 0; i < f.n; i++) {
		struct buf line CLEANUP(buf_free) = { 0 };
		buf_addf(&line, "%s: " STR_FMT ".", f.finding[i].rule->name,
			 STR_ARG(buf_str(&f.finding[i].why)));
		print_text_wrapped(out, 2, buf_str(&line));
		print_text_wrapped(out, 4, str_of(f.finding[i].rule->advice));
		if (f.finding[i].site && f.finding[i].site->link[0])
			fprintf(out, "    %s\n", f.finding[i].site->link);
	}
	findings_free(&f);
}
