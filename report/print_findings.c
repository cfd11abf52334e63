/* SPDX-License-Identifier: BSD-3-Clause */
/* print_findings.c - print the top of a job report: efficiency, CPU time and findings */
#include "report/print.h"

#include "base/wrapped.h"
#include "figures/findings/findings.h"
#include "figures/parts.h"
#include "report/shown.h"

#define BAR 30		/* width of a bar in columns */

/*
 * Return the largest bar length, up to BAR, that leaves room for the longest numbers after a bar.
 */
static int bar_length(const struct report *r)
{
	struct shown_bar bar;
	int longest = 0;

	for (int i = 0; i < USED_WHATS; i++) {
		if (!shown_bar(r, (enum used_what)i, &bar))
			continue;
		int n = (int)(str_of(bar.n.s).n + str_of(bar.of.s).n + str_of(bar.of_what).n) +
			(bar.at_least || bar.at_most ? 3 : 0);
		longest = n > longest ? n : longest;
	}
	return longest + BAR + 26 > PRINT_COLUMNS ? PRINT_COLUMNS - 26 - longest : BAR;
}

static void print_bar(FILE *out, const struct shown_bar *bar, int length, bool colour)
{
	double part = bar->percent > 100 ? 1 : bar->percent / 100;
	int n = (int)(part * length + .5);

	fprintf(out, "  %-8s%s|%.*s%*s|%s%8s  %s%s of %s%s\n",
		bar->label, colour && bar->bad ? "\033[31m" : "", n,
		"##############################",
		length - n, "", colour && bar->bad ? "\033[0m" : "", bar->share.s,
		bar->at_least ? ">= " : bar->at_most ? "<= " : "", bar->n.s, bar->of.s,
		bar->of_what);
}

void print_used(FILE *out, const struct report *r, bool colour)
{
	int length = bar_length(r);
	bool any = false;

	for (int i = 0; i < USED_WHATS; i++) {
		struct shown_bar bar;
		if (!shown_bar(r, (enum used_what)i, &bar))
			continue;
		if (!any)
			fprintf(out, "\n%sEfficiency%s\n", colour ? "\033[1m" : "",
				colour ? "\033[0m" : "");
		any = true;
		print_bar(out, &bar, length, colour);
	}
	struct buf peaks CLEANUP(buf_free) = { 0 };
	shown_peaks(&peaks, r);
	if (peaks.n)
		print_wrapped(out, 2, buf_str(&peaks));
}

#define BAR_NODE 50

static void print_part(FILE *out, const struct parts *p, enum part i)
{
	double percent = part_percent(p, i);
	fprintf(out, "  %c %-19s|%-25.*s|%8s  %s\n", part_names[i].letter, part_names[i].label,
		(int)(percent / 4 + .5), "#########################", text_percent(percent).s,
		text_value(UNIT_SECONDS, p->part[i]).s);
}

/*
 * Print a node's bar, in which each part of the CPU time is drawn with its letter. To fill the bar
 * exactly, round the running sum instead of each part.
 */
static void print_node_parts(FILE *out, const struct report *r, size_t node)
{
	struct parts p = parts_of_node(r, node);
	char bar[BAR_NODE + 1] = "";
	double sum = 0;
	int at = 0;

	for (int i = 0; i < PARTS; i++) {
		sum += part_percent(&p, (enum part)i) * BAR_NODE / 100;
		for (; at < BAR_NODE && at + .5 < sum; at++)
			bar[at] = part_names[i].letter;
	}
	fprintf(out, "  %-20s |%-*s|\n", text_name(node_name(r, node), 20).s, BAR_NODE, bar);
}

void print_parts(FILE *out, const struct report *r, const struct outliers *o, const char *bold,
		 const char *plain)
{
	struct parts p = parts_of(r);

	if (p.of <= 0)
		return;
	fprintf(out, "\n%sCPU time%s, %s allocated\n", bold, plain,
		text_value(UNIT_SECONDS, p.of).s);
	for (int i = 0; i < PARTS; i++)
		if (p.part[i] > 0)
			print_part(out, &p, (enum part)i);
	for (size_t i = 0; r->n > 1 && i < o->n; i++)
		print_node_parts(out, r, o->node[i]);
	if (o->more)
		fprintf(out, "  %zu more node%s", o->more, o->more == 1 ? "" : "s");
	if (o->known)
		fprintf(out, ", user and system %s to %s", text_percent(o->low).s,
			text_percent(o->high).s);
	if (o->more)
		fputc('\n', out);
}

void print_wrapped(FILE *out, int indent, struct str text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	wrapped_put(&b, indent, text);
	fwrite(b.p, 1, b.n, out);
}

void print_findings(FILE *out, const struct report *r, const struct finding_site *site,
		    const char *bold, const char *plain)
{
	struct findings f = findings_of(r, site);

	if (f.n > 0 || f.none)
		fprintf(out, "\n%sWhat to look at%s\n", bold, plain);
	if (f.none)
		fprintf(out, "  %s\n", f.none);
	for (size_t i = 0; i < f.n; i++) {
		struct buf line CLEANUP(buf_free) = { 0 };
		struct buf text CLEANUP(buf_free) = { 0 };
		buf_addf(&line, "%s: " STR_FMT ".", f.finding[i].rule->title,
			 STR_ARG(buf_str(&f.finding[i].why)));
		wrapped_put(&text, 5, buf_str(&line));
		fprintf(out, "%3zu. %.*s", i + 1, (int)text.n - 5, text.p + 5);
		print_wrapped(out, 5, str_of(f.finding[i].rule->advice));
		if (f.finding[i].site && f.finding[i].site->link[0])
			fprintf(out, "     %s\n", f.finding[i].site->link);
	}
	findings_free(&f);
}
