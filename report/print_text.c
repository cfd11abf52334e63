/* SPDX-License-Identifier: BSD-3-Clause */
/* print_text.c - a job report for people, at most 80 columns wide */
#include "report/print.h"

#include <string.h>
#include "figures/runs.h"
#include "figures/totals.h"
#include "figures/units.h"

#define PROCS_SHOWN 10
#define NODES_SHOWN 32
#define OTHERS_SHOWN 8
#define UNEVEN 10	/* percent of imbalance from which the nodes are named */

/* Where the page goes, and what begins and ends a heading. */
struct page {
	FILE *out;
	const char *bold, *plain;
};

static void print_samples(const struct page *p, const struct report *r)
{
	size_t samples = 0, gaps = 0, least = SIZE_MAX, most = 0;
	int64_t interval = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct node *n = &r->node[i];
		samples += n->samples;
		gaps += n->gaps;
		least = n->samples < least ? n->samples : least;
		most = n->samples > most ? n->samples : most;
		if (n->interval > interval)
			interval = n->interval;
	}
	fprintf(p->out, "  samples   %zu", samples);
	if (r->n > 1 && least == most)
		fprintf(p->out, ", %zu on each node", least);
	else if (r->n > 1)
		fprintf(p->out, ", %zu to %zu on each node", least, most);
	if (interval > 0)
		fprintf(p->out, ", every %s, %zu gap%s", text_duration(interval).s, gaps,
			gaps == 1 ? "" : "s");
	fputc('\n', p->out);
}

/* What else had this id: another user's job, or the same one that was started again. */
static void print_others(const struct page *p, const struct report *r)
{
	if (r->n_others == 0)
		return;
	fprintf(p->out, "\n%sOther runs of this id: --since and --until choose%s\n", p->bold,
		p->plain);
	for (size_t i = 0; i < r->n_others && i < OTHERS_SHOWN; i++) {
		const struct other_run *o = &r->other[r->n_others - 1 - i];
		fprintf(p->out, "  %s  %zu node%s%s%s\n", text_time(o->start).s, o->nodes,
			o->nodes == 1 ? "" : "s", o->user[0] ? "  user " : "",
			text_name(str_of(o->user), 24).s);
	}
	if (r->n_others > OTHERS_SHOWN)
		fprintf(p->out, "  and %zu more: --json has them all\n",
			r->n_others - OTHERS_SHOWN);
}

static void print_word(const struct page *p, const char *label, const char *value)
{
	if (value[0])
		fprintf(p->out, "  %-10s%s\n", label, text_name(str_of(value), 47).s);
}

/* Who, and what for, as the marks have it. */
static void print_asked(const struct page *p, const struct report *r)
{
	struct asked all = { 0 };

	for (size_t i = 0; i < r->n; i++)
		asked_add(&all, &r->node[i].asked);
	print_word(p, "user", r->user);
	print_word(p, "account", all.account);
	print_word(p, "partition", all.partition);
	print_word(p, "name", all.name);
	print_word(p, "state", all.state);
	print_word(p, "exit", all.exit);
}

static void print_head(const struct page *p, const struct report *r)
{
	size_t no_begin = 0, no_end = 0, open = 0;

	for (size_t i = 0; i < r->n; i++) {
		no_begin += r->node[i].no_begin > 0;
		no_end += r->node[i].no_end > 0;
		open += r->node[i].open;
	}
	fprintf(p->out, "%s%s%s%s\n", p->bold, r->job ? "Job " : "All records of hosts",
		r->job ? text_name(str_of(r->job), 47).s : "", p->plain);
	fprintf(p->out, "  nodes     %zu", r->n);
	for (size_t i = 0; i < r->n && i < 2; i++)
		fprintf(p->out, "%s%s", i ? ", " : ": ", text_name(node_name(r, i), 24).s);
	fprintf(p->out, "%s\n", r->n > 2 ? ", ..." : "");
	if (r->device)
		fprintf(p->out, "  devices   %s\n", text_name(str_of(r->device), 47).s);
	print_asked(p, r);
	fprintf(p->out, "  start     %s%s\n", text_time(r->start).s,
		!r->job ? " (first sample)" :
		no_begin == r->n ? " (first sample: no begin mark)" : "");
	fprintf(p->out, "  end       %s%s\n", text_time(r->end).s,
		!r->job ? " (newest sample)" : no_end < r->n ? "" :
		open ? " (newest sample: no end mark yet)" : " (last sample: no end mark)");
	fprintf(p->out, "  duration  %s\n", text_duration(report_duration(r)).s);
	print_samples(p, r);
	print_others(p, r);
}

/* Sections mix kinds of figures only where the second column suits both. */
static void print_section(const struct page *p, const struct report *r, const struct figure *f)
{
	bool gauges = f->how == FIGURE_PEAK;
	const char *second = f->how == FIGURE_SHARE ? "share" : gauges ? "" : "per s";

	fprintf(p->out, "\n%s%-20s%s", p->bold, f->section, p->plain);
	if (r->n > 1)
		fprintf(p->out, "%10s %10s %10s %10s %10s %5s", gauges ? "" : "total", second,
			"mean/node", "min", "max", "imb%");
	else
		fprintf(p->out, "%10s%s%s", gauges ? "largest" : "total",
			gauges ? "" : "      ", second);
	fputc('\n', p->out);
}

static struct text show(const struct figure *f, double v)
{
	return f->how == FIGURE_SHARE ? text_percent(v) : text_value(f->unit, v);
}

/* With a sign before it a value may need more room than its column, which the label leaves. */
static void print_first(const struct page *p, const char *label, const char *sign,
			const char *value)
{
	int room = 28 - (int)(str_of(label).n + str_of(sign).n);
	int value_n = (int)str_of(value).n;
	fprintf(p->out, "  %s%*s%s%s", label, room > value_n ? room - value_n : 1, "", sign, value);
}

/* The first two columns: of all nodes together. */
static void print_whole(const struct page *p, const struct report *r, const struct figure *f,
			const struct total *t)
{
	struct text a = { "" }, b = { "" };

	if (f->how == FIGURE_SHARE) {
		a = text_value(UNIT_SECONDS, t->seconds);
		b = text_percent(t->n);
	} else if (f->how == FIGURE_COUNTED || f->how == FIGURE_ADDED) {
		a = text_value(f->unit, t->n);
		if (t->has_rate)
			b = text_rate(f->unit, t->rate);
	} else if (r->n == 1) {
		a = text_value(f->unit, t->n);
	}
	print_first(p, f->label, t->is_part ? ">=" : "", a.s);
	if (r->n > 1 || b.s[0])
		fprintf(p->out, " %10s", b.s);
}

static void print_figure(const struct page *p, const struct report *r, const struct figure *f,
			 const struct total *t)
{
	if (t->nodes == 0) {
		fprintf(p->out, "  %-18s%10s\n", f->label, "unknown");
		return;
	}
	print_whole(p, r, f, t);
	if (r->n > 1)
		fprintf(p->out, " %10s %10s %10s %5.1f", show(f, t->mean).s, show(f, t->min).s,
			show(f, t->max).s, t->imbalance);
	fputc('\n', p->out);
}

static void print_nodes_begin(const struct page *p, const struct report *r)
{
	bool shared = false;
	for (size_t i = 0; i < r->n; i++)
		shared |= r->node[i].shared > 0;
	fprintf(p->out, "\n%sIts nodes as a whole%s%s\n", p->bold,
		shared ? ", other jobs included" : "", p->plain);
}

/* Of the job itself nothing is known; without this the nodes' figures would pass for its own. */
static void print_no_row(const struct page *p, const struct figure *f)
{
	fprintf(p->out, "\n%s%s%s\n  %-18s%10s: no row of type %s on any node\n", p->bold,
		f->section, p->plain, "CPU, memory, I/O", "unknown", f->type);
}

static void print_figures(const struct page *p, const struct report *r)
{
	const char *section = "";
	bool own = false;	/* the last one shown was of the job itself */
	struct total t;

	for (size_t i = 0; i < n_figures; i++) {
		if (!total_of(r, i, &t))
			continue;
		if (own && !figures[i].own)
			print_nodes_begin(p, r);
		own = figures[i].own;
		bool begins = strcmp(section, figures[i].section) != 0;
		section = figures[i].section;
		if (begins && t.no_row)
			print_no_row(p, &figures[i]);
		else if (begins)
			print_section(p, r, &figures[i]);
		if (!t.no_row)
			print_figure(p, r, &figures[i], &t);
	}
	if (r->n > 1)
		fputs("\n  imb% is (max - mean) / max.\n", p->out);
}

/* Small shares of the CPU are uneven everywhere. */
static bool is_uneven(const struct figure *f, const struct total *t)
{
	return t->nodes > 1 && t->imbalance >= UNEVEN && (f->how != FIGURE_SHARE || t->max >= 1);
}

static void print_uneven(const struct page *p, const struct report *r)
{
	struct total t;
	bool any = false;

	for (size_t i = 0; i < n_figures; i++) {
		const struct figure *f = &figures[i];
		if (!total_of(r, i, &t) || !is_uneven(f, &t))
			continue;
		if (!any)
			fprintf(p->out, "\n%s%-29s%-26s%s%s\n", p->bold, "Uneven", "most on",
				"least on", p->plain);
		any = true;
		fprintf(p->out, "  %-8.*s %-17s %-13s %10s  %-13s %10s\n",
			(int)strcspn(f->section, " "), f->section, f->label,
			text_name(node_name(r, t.max_node), 13).s, show(f, t.max).s,
			text_name(node_name(r, t.min_node), 13).s, show(f, t.min).s);
	}
}

static void print_procs(const struct page *p, const struct report *r)
{
	if (r->procs.n == 0)
		return;
	fprintf(p->out, "\n%sLargest processes   %10s %10s %8s  %s%s\n", p->bold, "VmHWM",
		"VmRSS", "threads", "VmHWM was on", p->plain);
	for (size_t i = 0; i < r->procs.n && i < PROCS_SHOWN; i++) {
		const struct proc *q = &r->procs.proc[i];
		fprintf(p->out, "  %-18s %10s %10s %8llu  %s\n",
			text_name(str_of(q->name), 18).s,
			text_value(UNIT_BYTES, (double)q->hwm).s,
			text_value(UNIT_BYTES, (double)q->rss).s, (unsigned long long)q->threads,
			text_name(node_name(r, q->node), 24).s);
	}
}

static void print_nodes(const struct page *p, const struct report *r)
{
	size_t user = figure_find("cpu.user"), hwm = figure_find("mem.hwm"),
	       used = figure_find("mem.MemUsed");

	fprintf(p->out, "\n%s%-22s %7s %9s %11s %11s  %s%s\n", p->bold, "Nodes", "samples",
		"CPU user", "in programs", "MemUsed", "peak at", p->plain);
	for (size_t i = 0; i < r->n && i < NODES_SHOWN; i++) {
		const struct node *n = &r->node[i];
		struct text cpu = { "-" }, programs = { "-" }, memory = { "-" }, at = { "-" };
		if (value_known(&n->value[user]))
			cpu = text_percent(node_value(n, user));
		if (value_known(&n->value[used]))
			memory = text_value(UNIT_BYTES, n->value[used].n);
		if (value_known(&n->value[hwm])) {
			programs = text_value(UNIT_BYTES, n->value[hwm].n);
			at = text_clock(n->value[hwm].at);
		}
		fprintf(p->out, "  %-20s %7zu %9s %11s %11s  %s\n",
			text_name(node_name(r, i), 20).s, n->samples, cpu.s, programs.s, memory.s,
			at.s);
	}
	if (r->n > NODES_SHOWN)
		fprintf(p->out, "  and %zu more: --json has them all\n", r->n - NODES_SHOWN);
}

void print_text(FILE *out, const struct report *r, const struct finding_site *site, bool colour)
{
	const struct page p = { out, colour ? "\033[1m" : "", colour ? "\033[0m" : "" };

	print_head(&p, r);
	print_used(out, r, colour);
	print_findings(out, r, site, p.bold, p.plain);
	print_figures(&p, r);
	print_derived(out, r, p.bold, p.plain);
	print_uneven(&p, r);
	print_procs(&p, r);
	print_nodes(&p, r);
	if (r->n > 0 && r->node[0].other_types[0])
		fprintf(out, "\nNot on this page: types %s\n",
			text_name(str_of(r->node[0].other_types), 54).s);
	print_doubts(out, r, p.bold, p.plain);
}
