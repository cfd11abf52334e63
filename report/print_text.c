/* SPDX-License-Identifier: BSD-3-Clause */
/* print_text.c - print a job report for people, at most 80 columns wide */
#include "report/print.h"

#include <string.h>
#include "report/shown.h"

#define PROCS_SHOWN 10
#define OTHERS_SHOWN 8

/* Destination of the report, and the escape sequences around a heading. */
struct page {
	FILE *out;
	const char *bold, *plain;
};

/*
 * Return a time for --until, in seconds since the epoch, that selects this run: the last whole
 * second before the run's end, because the next run may start at that end. If the run started after
 * this second, return its start, rounded up.
 */
static long long newest_at(const struct other_run *o)
{
	int64_t last = (o->end - 1) / 1000000;
	return last * 1000000 >= o->start ? last : (o->start + 999999) / 1000000;
}

/* List other runs with the same id: another user's job, or a restart of this job. */
static void print_others(const struct page *p, const struct report *r)
{
	if (r->n_others == 0)
		return;
	fprintf(p->out, "\n%sOther runs of this id%s\n", p->bold, p->plain);
	for (size_t i = 0; i < r->n_others && i < OTHERS_SHOWN; i++) {
		const struct other_run *o = &r->other[r->n_others - 1 - i];
		fprintf(p->out, "  %s  %zu node%s%s%s: --until %lld\n", text_time(o->start).s,
			o->nodes, o->nodes == 1 ? "" : "s", o->user[0] ? "  user " : "",
			text_name(str_of(o->user), 12).s, newest_at(o));
	}
	if (r->n_others > OTHERS_SHOWN)
		fprintf(p->out, "  and %zu more: --json has them all\n",
			r->n_others - OTHERS_SHOWN);
}

static void text_print_row(void *arg, const char *label, const char *value)
{
	const struct page *p = arg;
	fprintf(p->out, "  %-10s%s\n", label, value);
}

/* Append a part of the title to the current line or, if the line is full, to the next line. */
static void print_title_part(const struct page *p, struct buf *part, size_t *columns)
{
	if (part->n == 0)
		return;
	bool fits = *columns == 0 || *columns + 2 + part->n <= PRINT_COLUMNS;
	fprintf(p->out, "%s" STR_FMT, fits ? *columns ? "  " : "" : "\n  ", STR_ARG(buf_str(part)));
	*columns = (fits ? *columns : 0) + 2 + part->n;
}

static void print_title(const struct page *p, const struct report *r)
{
	struct buf title CLEANUP(buf_free) = { 0 }, owner CLEANUP(buf_free) = { 0 };
	struct buf state CLEANUP(buf_free) = { 0 };
	size_t columns = 0;

	shown_title(&title, r);
	shown_owner(&owner, r);
	shown_state(&state, r);
	fputs(p->bold, p->out);
	print_title_part(p, &title, &columns);
	fputs(p->plain, p->out);
	print_title_part(p, &owner, &columns);
	print_title_part(p, &state, &columns);
	fputc('\n', p->out);
}

static void print_head(const struct page *p, const struct report *r,
		       const struct factors *factors)
{
	print_title(p, r);
	shown_head(r, factors, text_print_row, (void *)p);
	print_others(p, r);
}

/* Print the heading of a section and its column titles. f is a figure of the section. */
static void print_section(const struct page *p, const struct report *r, const struct figure *f)
{
	bool gauges = f->how == FIGURE_PEAK;
	const char *second = shown_second(f);

	fprintf(p->out, "\n%s%-20s%s", p->bold, f->section, p->plain);
	if (r->n > 1)
		fprintf(p->out, "%10s %10s %10s %10s %9s uneven", gauges ? "" : "total", second,
			"mean/node", "min", "max");
	else
		fprintf(p->out, "%10s%s%s", gauges ? "largest" : "total",
			gauges ? "" : "      ", second);
	fputc('\n', p->out);
}

/*
 * Print a figure's label and its first value. A value with ">=" may be wider than its column; it
 * then extends to the left into the space after the label.
 */
static void print_first(const struct page *p, const char *label, const char *sign,
			const char *value)
{
	int room = 28 - (int)(str_of(label).n + str_of(sign).n);
	int value_n = (int)str_of(value).n;
	fprintf(p->out, "  %s%*s%s%s", label, room > value_n ? room - value_n : 1, "", sign, value);
}

static void print_figure(const struct page *p, const struct report *r, const struct figure *f,
			 const struct total *t)
{
	if (t->nodes == 0) {
		fprintf(p->out, "  %-18s%10s\n", f->label, "unknown");
		return;
	}
	struct shown_figure s = shown_figure(r, f, t);
	print_first(p, f->label, t->is_part ? ">=" : "", s.whole.s);
	if (r->n > 1 || s.second.s[0])
		fprintf(p->out, " %10s", s.second.s);
	if (r->n > 1)
		fprintf(p->out, " %10s %10s %10s %5.1f", s.mean.s, s.min.s, s.max.s,
			t->imbalance);
	fputc('\n', p->out);
}

static void print_nodes_begin(const struct page *p, const struct report *r)
{
	bool shared = false;
	for (size_t i = 0; i < r->n; i++)
		shared |= r->node[i].shared > 0;
	fprintf(p->out, "\n%sWhole nodes%s%s\n", p->bold,
		shared ? ", other jobs included" : "", p->plain);
}

/*
 * Print that the figures of the job itself are unknown, so that readers do not mistake the figures
 * of whole nodes for those of the job.
 */
static void print_no_row(const struct page *p, const struct figure *f)
{
	fprintf(p->out, "\n%s%s%s\n  %-18s%10s: %s\n%23s%s\n", p->bold, f->section, p->plain,
		"CPU, memory, I/O", "unknown", SHOWN_NO_GROUP, "", SHOWN_NO_GROUP_MEANS);
}

static void print_figures(const struct page *p, const struct report *r)
{
	const char *section = "";
	/* the previous figure describes the job itself, not its nodes */
	bool own = false;
	struct total t;

	for (size_t i = 0; i < n_figures; i++) {
		if (!total_of(r, i, &t))
			continue;
		if (own && !figures[i].job_row)
			print_nodes_begin(p, r);
		own = figures[i].job_row;
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
		fputs("\n  uneven, in percent: (max - mean) / max.\n", p->out);
}

static void print_uneven(const struct page *p, const struct report *r)
{
	struct total t;
	bool any = false;

	for (size_t i = 0; i < n_figures; i++) {
		const struct figure *f = &figures[i];
		if (!total_of(r, i, &t) || !shown_is_uneven(f, &t))
			continue;
		if (!any)
			fprintf(p->out, "\n%s%-29s%-26s%s%s\n", p->bold, "Uneven", "most on",
				"least on", p->plain);
		any = true;
		fprintf(p->out, "  %-8.*s %-17s %-13s %10s  %-13s %10s\n",
			(int)strcspn(f->section, " "), f->section, f->label,
			text_name(node_name(r, t.max_node), 13).s, shown_value(f, t.max).s,
			text_name(node_name(r, t.min_node), 13).s, shown_value(f, t.min).s);
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

static void print_nodes(const struct page *p, const struct report *r, const struct outliers *o)
{
	size_t user = figure_find("cpu.user"), hwm = figure_find("mem.hwm"),
	       used = figure_find("mem.MemUsed");

	fprintf(p->out, "\n%s%-22s %7s %9s %11s %11s  %s%s\n", p->bold, "Nodes", "samples",
		"CPU user", "resident", "MemUsed", "peak at", p->plain);
	for (size_t i = 0; i < o->n; i++) {
		const struct node *n = &r->node[o->node[i]];
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
			text_name(node_name(r, o->node[i]), 20).s, n->samples, cpu.s, programs.s,
			memory.s, at.s);
	}
	if (o->more)
		fprintf(p->out, "  and %zu more: --json has them all\n", o->more);
}

static void print_other_types(FILE *out, const struct node *n)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	buf_addf(&b, "Also recorded: %s", n->other_types);
	if (n->more_types)
		buf_addf(&b, " and %u more", n->more_types);
	buf_add(&b, STR(" (nodometer cat --type)"));
	fputc('\n', out);
	print_wrapped(out, 0, buf_str(&b));
}

void print_text(FILE *out, const struct report *r, const struct advice *advice, bool colour,
		bool verbose)
{
	const struct page p = { out, colour ? "\033[1m" : "", colour ? "\033[0m" : "" };
	const struct outliers outliers = outliers_of(r);

	print_head(&p, r, &advice->factors);
	print_used(out, r, colour);
	print_findings(out, r, advice->site, p.bold, p.plain);
	print_parts(out, r, &outliers, p.bold, p.plain);
	print_uneven(&p, r);
	print_figures(&p, r);
	print_derived(out, r, p.bold, p.plain);
	print_procs(&p, r);
	print_nodes(&p, r, &outliers);
	if (r->n > 0 && r->node[0].other_types[0])
		print_other_types(out, &r->node[0]);
	print_doubts(out, r, verbose, p.bold, p.plain);
	fputs("\nWords and figures: nodometer-report(1), nodometer-figures(7).\n", out);
}
