/* SPDX-License-Identifier: BSD-3-Clause */
/* print_html.c - write a report as a self-contained HTML page */
#include "report/print.h"

#include <stdlib.h>
#include <string.h>
#include "figures/parts.h"
#include "plot/html.h"
#include "plot/html_look.h"
#include "report/roofline.h"
#include "report/shown.h"

static void html_put_row(void *arg, const char *label, const char *value)
{
	html_put_element(arg, "dt", label);
	html_put_element(arg, "dd", value);
	buf_add_char(arg, '\n');
}

static void html_put_title(struct buf *b, const struct report *r, const struct factors *factors)
{
	struct buf title CLEANUP(buf_free) = { 0 }, owner CLEANUP(buf_free) = { 0 };
	shown_title(&title, r);
	buf_add_char(&title, '\0');
	html_begin(b, title.p);
	shown_owner(&owner, r);
	if (owner.n)
		buf_add_char(&owner, ' ');
	shown_state(&owner, r);
	if (owner.n) {
		buf_add_char(&owner, '\0');
		html_put_element(b, "p", owner.p);
	}
	buf_add(b, STR("<dl>\n"));
	shown_head(r, factors, html_put_row, b);
	buf_add(b, STR("</dl>\n<p class=\"soft\"><a href=\"#words\">What the words mean</a>"
		       "</p>\n"));
	if (r->n_others)
		buf_addf(b, "<p class=\"soft\">This id had %zu other run%s: --since and --until "
			 "choose.</p>\n", r->n_others, r->n_others == 1 ? "" : "s");
}

static void put_peaks(struct buf *b, const struct report *r)
{
	struct buf words CLEANUP(buf_free) = { 0 };

	shown_peaks(&words, r);
	if (words.n == 0)
		return;
	buf_addf(b, "<p class=\"soft\">" STR_FMT "</p>\n", STR_ARG(buf_str(&words)));
	roofline_put_svg(b, r);
}

static void html_put_used(struct buf *b, const struct report *r)
{
	bool any = false;
	for (int i = 0; i < USED_WHATS; i++) {
		struct shown_bar bar;
		if (!shown_bar(r, (enum used_what)i, &bar))
			continue;
		if (!any)
			buf_add(b, STR("<h2>Efficiency</h2>\n<div class=\"use\">\n"));
		any = true;
		buf_addf(b, "<div><span>%s</span><i%s><b style=\"width:%.1f%%\"></b></i>"
			 "<span>%s</span><span>%s%s of %s%s</span></div>\n", bar.label,
			 bar.bad ? " class=\"bad\"" : "", bar.percent > 100 ? 100 : bar.percent,
			 bar.share.s, bar.at_least ? "&ge; " : bar.at_most ? "&le; " : "",
			 bar.n.s, bar.of.s, bar.of_what);
	}
	if (any)
		buf_add(b, STR("</div>\n"));
	put_peaks(b, r);
}

/* Write a node's bar of CPU time, with its values as text for screen readers. */
static void html_put_bar(struct buf *b, const char *name, const struct parts *p)
{
	buf_add(b, STR("<div><span>"));
	html_put_text(b, name);
	buf_add(b, STR("</span><div class=\"bar\" role=\"img\" aria-label=\""));
	for (int i = 0; i < PARTS; i++)
		if (p->part[i] > 0)
			buf_addf(b, "%s %s, ", part_names[i].label,
				 text_percent(part_percent(p, (enum part)i)).s);
	buf_addf(b, "of %s\">", text_value(UNIT_SECONDS, p->of).s);
	for (int i = 0; i < PARTS; i++) {
		double percent = part_percent(p, (enum part)i);
		if (percent > 0)
			buf_addf(b, "<b class=\"%s\" style=\"width:%.3f%%\" "
				 "title=\"%s %s, %s\"></b>", part_names[i].name, percent,
				 part_names[i].label, text_percent(percent).s,
				 text_value(UNIT_SECONDS, p->part[i]).s);
	}
	buf_add(b, STR("</div></div>\n"));
}

static void html_put_parts(struct buf *b, const struct report *r)
{
	struct parts all = parts_of(r);

	if (all.of <= 0)
		return;
	buf_addf(b, "<h2>CPU time</h2>\n<p class=\"key\">%s allocated:",
		 text_value(UNIT_SECONDS, all.of).s);
	for (int i = 0; i < PARTS; i++)
		if (all.part[i] > 0)
			buf_addf(b, " <span><b class=\"%s\"></b>%s %s, %s</span>",
				 part_names[i].name, part_names[i].label,
				 text_percent(part_percent(&all, (enum part)i)).s,
				 text_value(UNIT_SECONDS, all.part[i]).s);
	buf_add(b, STR("</p>\n<div class=\"parts\" tabindex=\"0\">\n"));
	html_put_bar(b, "the job", &all);
	for (size_t i = 0; i < r->n && r->n > 1; i++) {
		struct parts p = parts_of_node(r, i);
		html_put_bar(b, text_name(node_name(r, i), 47).s, &p);
	}
	buf_add(b, STR("</div>\n"));
}

/*
 * Write a link. Only http and https URLs become links: a browser could run other schemes as
 * scripts.
 */
static void put_link(struct buf *b, const char *link)
{
	struct str s = str_of(link);
	bool web = str_starts(s, STR("https://")) || str_starts(s, STR("http://"));
	buf_add(b, STR("<p>"));
	if (web) {
		buf_add(b, STR("<a href=\""));
		html_put_text(b, link);
		buf_add(b, STR("\">"));
	}
	html_put_text(b, link);
	buf_addf(b, "%s</p>", web ? "</a>" : "");
}

static void html_put_findings(struct buf *b, const struct report *r,
			      const struct finding_site *site)
{
	struct findings f = findings_of(r, site);

	if (f.n > 0 || f.none)
		buf_add(b, STR("<h2>What to look at</h2>\n"));
	if (f.none)
		html_put_element(b, "p", f.none);
	for (size_t i = 0; i < f.n; i++) {
		struct finding *found = &f.finding[i];
		buf_add_char(&found->why, '\0');
		buf_addf(b, "<div class=\"found\" id=\"%s\"><p>", found->rule->name);
		html_put_element(b, "b", found->rule->title);
		buf_add(b, STR(": "));
		html_put_text(b, found->why.p);
		buf_add(b, STR(".</p>"));
		html_put_element(b, "p", found->rule->advice);
		if (found->site && found->site->link[0])
			put_link(b, found->site->link);
		buf_add(b, STR("</div>\n"));
	}
	findings_free(&f);
}

static void html_put_cell(struct buf *b, const char *text)
{
	html_put_element(b, "td", text);
}

/* Write a cell with a figure's label and, in small letters, its id. */
static void put_named(struct buf *b, const char *label, const char *id)
{
	buf_add(b, STR("<td>"));
	html_put_text(b, label);
	buf_addf(b, " <small>%s</small></td>", id);
}

static void put_section(struct buf *b, const struct report *r, const char *section,
			const char *first, const char *second)
{
	html_put_element(b, "h2", section);
	buf_add(b, STR("\n" HTML_WIDE "<table><thead><tr><th></th>"));
	html_put_element(b, "th", first);
	html_put_element(b, "th", second);
	if (r->n > 1)
		buf_add(b, STR("<th>mean/node</th><th>min</th><th>max</th><th>uneven</th>"));
	buf_add(b, STR("</tr></thead><tbody>\n"));
}

static void html_put_figure(struct buf *b, const struct report *r, const struct figure *f,
			    const struct total *t)
{
	buf_add(b, STR("<tr>"));
	put_named(b, f->label, figure_id(f).s);
	if (t->nodes == 0) {
		html_put_cell(b, "unknown");
		buf_addf(b, "<td colspan=\"%d\"></td></tr>\n", r->n > 1 ? 5 : 1);
		return;
	}
	struct shown_figure s = shown_figure(r, f, t);
	buf_addf(b, "<td>%s%s</td><td>%s</td>", t->is_part ? "&ge; " : "", s.whole.s, s.second.s);
	if (r->n > 1)
		buf_addf(b, "<td>%s</td><td>%s</td><td>%s</td><td>%.1f %%</td>", s.mean.s, s.min.s,
			 s.max.s, t->imbalance);
	buf_add(b, STR("</tr>\n"));
}

static void put_no_row(struct buf *b)
{
	buf_add(b, STR("<tr><td>CPU, memory, I/O</td><td class=\"why\" colspan=\"6\">"
		       "unknown: " SHOWN_NO_GROUP " " SHOWN_NO_GROUP_MEANS "</td></tr>\n"));
}

static void html_put_figures(struct buf *b, const struct report *r)
{
	const char *section = "";
	struct total t;

	for (size_t i = 0; i < n_figures; i++) {
		const struct figure *f = &figures[i];
		if (!total_of(r, i, &t))
			continue;
		if (strcmp(section, f->section) != 0) {
			if (*section)
				html_end_table(b);
			section = f->section;
			put_section(b, r, section, f->how != FIGURE_PEAK ? "total" :
				    r->n > 1 ? "" : "largest", shown_second(f));
			if (t.no_row)
				put_no_row(b);
		}
		if (!t.no_row)
			html_put_figure(b, r, f, &t);
	}
	if (*section)
		html_end_table(b);
}

/* Write a cell with the value or "unknown". Put a sign before a lower or upper bound. */
static void put_bound(struct buf *b, const struct derived_total *t, double by)
{
	static const char *const sign[] = {
		[BOUND_NONE] = "", [BOUND_AT_LEAST] = "&ge; ", [BOUND_AT_MOST] = "&le; ",
		[BOUND_UNKNOWN] = "",
	};
	bool known = t->bound != BOUND_UNKNOWN;
	buf_addf(b, "<td>%s%s</td>", sign[t->bound], known ? shown_number(by * t->n).s : "unknown");
}

static void put_derived_row(struct buf *b, const struct report *r, const struct derived *d,
			    const struct derived_total *t)
{
	struct axis shown = axis_of_derived(d);
	struct text peak = { "" }, at = { "" };
	bool known = t->bound != BOUND_UNKNOWN;
	if (known && t->peak.at) {
		peak = shown_number(shown.by * t->peak.rate);
		at = text_clock(t->peak.at);
	}
	buf_add(b, STR("<tr>"));
	put_named(b, d->label, d->id);
	put_bound(b, t, shown.by);
	buf_addf(b, "<td class=\"unit\">%s</td>", shown.unit);
	if (r->n > 1)
		buf_addf(b, "<td>%s</td><td>%s</td>",
			 known ? shown_number(shown.by * t->min).s : "",
			 known ? shown_number(shown.by * t->max).s : "");
	html_put_cell(b, peak.s);
	html_put_cell(b, at.s);
	if (r->n > 1)
		html_put_cell(b, t->peak.at ? text_name(node_name(r, t->peak_node), 24).s : "");
	buf_add(b, STR("</tr>\n"));
}

static void html_put_derived(struct buf *b, const struct report *r)
{
	const char *section = "";
	struct derived_total t;

	for (size_t i = 0; i < n_derived; i++) {
		if (!total_derived(r, i, &t) || (t.max == 0 && t.min == 0))
			continue;
		if (strcmp(section, derived[i].section) != 0) {
			if (*section)
				html_end_table(b);
			section = derived[i].section;
			html_put_element(b, "h2", section);
			buf_addf(b, "\n" HTML_WIDE "<table><thead><tr><th></th><th>%s</th>"
				 "<th></th>%s<th>peak</th><th>at</th>%s</tr></thead><tbody>\n",
				 r->n > 1 ? "mean/node" : "mean",
				 r->n > 1 ? "<th>min</th><th>max</th>" : "",
				 r->n > 1 ? "<th>on</th>" : "");
		}
		put_derived_row(b, r, &derived[i], &t);
	}
	if (*section)
		html_end_table(b);
}

static void html_put_procs(struct buf *b, const struct report *r)
{
	if (r->procs.n == 0)
		return;
	buf_add(b, STR("<h2>Largest processes</h2>\n" HTML_WIDE "<table class=\"sorts\">"
		       "<thead><tr><th><button>name</button></th><th><button>VmHWM</button></th>"
		       "<th><button>VmRSS</button></th><th><button>threads</button></th>"
		       "<th>VmHWM was on</th></tr></thead><tbody>\n"));
	for (size_t i = 0; i < r->procs.n; i++) {
		const struct proc *p = &r->procs.proc[i];
		buf_add(b, STR("<tr>"));
		html_put_cell(b, text_name(str_of(p->name), 47).s);
		buf_addf(b, "<td data-v=\"%llu\">%s</td><td data-v=\"%llu\">%s</td>"
			 "<td data-v=\"%llu\">%llu</td>", (unsigned long long)p->hwm,
			 text_value(UNIT_BYTES, (double)p->hwm).s, (unsigned long long)p->rss,
			 text_value(UNIT_BYTES, (double)p->rss).s,
			 (unsigned long long)p->threads, (unsigned long long)p->threads);
		html_put_cell(b, text_name(node_name(r, p->node), 47).s);
		buf_add(b, STR("</tr>\n"));
	}
	html_end_table(b);
}

/*
 * Columns of the table of nodes. Each column shows a figure or a derived figure. Columns without
 * data are omitted.
 */
static const struct column {
	const char *label, *figure, *derived;
} columns[] = {
	{ "CPU user",    "cpu.user",       NULL },
	{ "resident",    "mem.hwm",        NULL },
	{ "MemUsed",     "mem.MemUsed",    NULL },
	{ "GPU",         "nvidia_gpu.utilization", NULL },
	{ "CPI",         NULL, "cpi" },
	{ "GHz",         NULL, "clock" },
	{ "GF/s",        NULL, "gflops64" },
	{ "memory GiB/s", NULL, "memory" },
	{ "files MiB/s", NULL, "files_bandwidth" },
	{ "disks MiB/s", NULL, "disk_bandwidth" },
	{ "net MiB/s",   NULL, "net_bandwidth" },
	{ "IB MiB/s",    NULL, "ib_bandwidth" },
	{ "OPA MiB/s",   NULL, "opa_bandwidth" },
	{ "W",           NULL, "power" },
};

static bool column_value(const struct column *c, const struct node *n, double *v,
			 struct text *shown)
{
	if (c->figure) {
		size_t i = figure_find(c->figure);
		if (i >= n_figures || !value_known(&n->value[i]))
			return false;
		*v = node_value(n, i);
		*shown = shown_value(&figures[i], *v);
		return true;
	}
	const struct derived *d = &derived[derived_find(c->derived)];
	struct derived_value value = derived_of(d, n->value, (double)n->usec / 1e6);
	if (!value.known || derived_bound(&value) == BOUND_UNKNOWN)
		return false;
	*v = axis_of_derived(d).by * derived_number(d, &value);
	*shown = shown_number(*v);
	return true;
}

static bool column_is_shown(const struct column *c, const struct report *r)
{
	struct text text;
	double v;
	size_t i = 0;
	while (i < r->n && !(column_value(c, &r->node[i], &v, &text) && v != 0))
		i++;
	return i < r->n;
}

static void html_put_node(struct buf *b, const struct report *r, size_t i, const bool *shown)
{
	const struct node *n = &r->node[i];
	buf_add(b, STR("<tr>"));
	html_put_cell(b, text_name(node_name(r, i), 47).s);
	buf_addf(b, "<td data-v=\"%zu\">%zu</td>", n->samples, n->samples);
	for (size_t k = 0; k < ARRAY_SIZE(columns); k++) {
		struct text text;
		double v;
		if (!shown[k])
			continue;
		if (column_value(&columns[k], n, &v, &text))
			buf_addf(b, "<td data-v=\"%.6g\">%s</td>", v, text.s);
		else
			buf_add(b, STR("<td>-</td>"));
	}
	buf_add(b, STR("</tr>\n"));
}

static void html_put_nodes(struct buf *b, const struct report *r)
{
	bool shown[ARRAY_SIZE(columns)];

	buf_add(b, STR("<h2>Nodes</h2>\n<div class=\"wide nodes\" tabindex=\"0\">"
		       "<table class=\"sorts\"><thead><tr><th><button>node</button></th>"
		       "<th><button>samples</button></th>"));
	for (size_t k = 0; k < ARRAY_SIZE(columns); k++) {
		shown[k] = column_is_shown(&columns[k], r);
		if (shown[k])
			buf_addf(b, "<th><button>%s</button></th>", columns[k].label);
	}
	buf_add(b, STR("</tr></thead><tbody>\n"));
	for (size_t i = 0; i < r->n; i++)
		html_put_node(b, r, i, shown);
	html_end_table(b);
}

/* Write the section on missing and inferred data as preformatted text. */
static void put_doubts(struct buf *b, const struct report *r, bool verbose)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	if (!to)
		abort();
	print_doubts(to, r, verbose, "", "");
	if (fclose(to) != 0)
		abort();
	buf_add(b, STR("<h2>How sure this is</h2>\n"));
	html_put_element(b, "pre", text + (text[0] == '\n'));
	free(text);
}

static void html_put_words(struct buf *b)
{
	buf_add(b, STR("<h2 id=\"words\">What the words mean</h2>\n<dl>\n"));
	for (size_t i = 0; i < n_html_words; i++)
		html_put_row(b, html_words[i].word, html_words[i].means);
	buf_add(b, STR("</dl>\n"));
}

void print_html(struct buf *b, const struct report *r, const struct advice *advice,
		const struct html_drawing *d, bool verbose)
{
	html_put_title(b, r, &advice->factors);
	html_put_used(b, r);
	html_put_findings(b, r, advice->site);
	html_put_parts(b, r);
	html_put_chart(b, d);
	html_put_nodes(b, r);
	buf_addf(b, "<div class=\"tables%s\">\n", r->n == 1 ? " one" : "");
	html_put_derived(b, r);
	html_put_figures(b, r);
	html_put_procs(b, r);
	buf_add(b, STR("</div>\n"));
	if (r->n > 0 && r->node[0].other_types[0]) {
		buf_add(b, STR("<p class=\"soft\">Also recorded: "));
		html_put_text(b, r->node[0].other_types);
		buf_add(b, STR(" (nodometer cat --type)</p>\n"));
	}
	put_doubts(b, r, verbose);
	html_put_words(b);
	html_end(b);
}
