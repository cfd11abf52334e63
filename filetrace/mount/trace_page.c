/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_page.c - the report on recorded operations as a page for a browser */
#include <inttypes.h>
#include <stdio.h>
#include "base/utf8.h"
#include "figures/units.h"
#include "plot/gnuplot.h"
#include "plot/html.h"
#include "plot/plot.h"
#include "filetrace/mount/trace_forms.h"

#define ROWS 200	/* limit for the rows of a table, so that a browser sorts them at once */

static void trace_page_put_name(struct buf *b, const char *name)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_add(&text, str_of(*name ? name : "(no name)"));
	utf8_make_printable(text.p, text.n);
	buf_add_char(&text, '\0');
	html_put_element(b, "td", text.p);
}

static void trace_page_put_ns(struct buf *b, int64_t ns)
{
	char text[TRACE_TEXT];
	buf_addf(b, "<td data-v=\"%" PRId64 "\">%s</td>", ns, trace_ns_text(text, ns));
}

static void trace_page_put_bytes(struct buf *b, uint64_t bytes)
{
	char text[TRACE_TEXT];
	buf_addf(b, "<td data-v=\"%" PRIu64 "\">%s</td>", bytes, trace_bytes_text(text, bytes));
}

static void trace_page_put_count(struct buf *b, uint64_t n)
{
	buf_addf(b, "<td data-v=\"%" PRIu64 "\">%" PRIu64 "</td>", n, n);
}

/* Start a table. `column` lists the headings, up to a NULL. */
static void trace_page_begin_table(struct buf *b, const char *title, const char *const *column)
{
	html_put_element(b, "h2", title);
	buf_add(b, STR("\n" HTML_WIDE "<table class=\"sorts\"><thead><tr>"));
	for (; *column; column++)
		buf_addf(b, "<th><button>%s</button></th>", *column);
	buf_add(b, STR("</tr></thead><tbody>\n"));
}

static void trace_page_end_table(struct buf *b, size_t n)
{
	html_end_table(b);
	if (n > ROWS)
		buf_addf(b, "<p class=\"soft\">and %zu more: --json has all</p>\n", n - ROWS);
}

static void trace_page_put_use_row(struct buf *b, const char *name, const struct trace_use *u)
{
	for (int i = 0; i < PARTS; i++) {
		if (u->ns[i].total == 0)
			continue;
		buf_add(b, STR("<tr>"));
		trace_page_put_name(b, name);
		buf_addf(b, "<td>%s</td>", part_names[i]);
		trace_page_put_count(b, u->ns[i].total);
		for (size_t k = 0; k < TRACE_PERCENTILES; k++)
			if (i < PART_META)
				trace_page_put_bytes(b, histogram_percentile(
					&u->size[i], trace_percentiles[k].percent));
			else
				buf_add(b, STR("<td></td>"));
		for (size_t k = 0; k < TRACE_PERCENTILES; k++)
			trace_page_put_ns(b, (int64_t)histogram_percentile(
				&u->ns[i], trace_percentiles[k].percent));
		buf_add(b, STR("</tr>\n"));
	}
}

static void trace_page_put_use(struct buf *b, const struct trace_sums *s)
{
	static const char *const columns[] = { "program", "what", "requests", "size p50", "p90",
					       "p99", "time p50", "p90", "p99", NULL };
	trace_page_begin_table(b, "Sizes and times of requests", columns);
	trace_page_put_use_row(b, "all", &s->all);
	for (size_t i = 0; s->by_program.n > 1 && i < s->by_program.n && i < ROWS; i++)
		if (s->by_program.sum[i].use)
			trace_page_put_use_row(b, s->by_program.sum[i].name,
					       s->by_program.sum[i].use);
	trace_page_end_table(b, s->by_program.n);
}

/* Append a row for each range, with a bar for its share of each kind of request. */
static void trace_page_put_ranges(struct buf *b, const char *title, const struct trace_range *range,
				  size_t n, const struct histogram *h, int parts)
{
	html_put_element(b, "h2", title);
	buf_add(b, STR("\n<div class=\"use\">\n"));
	for (int k = 0; k < parts; k++)
		for (size_t i = 0; i < n; i++) {
			uint64_t count = histogram_between(&h[k], range[i].from,
							   trace_range_end(range, n, i));
			double percent = count ? 100 * (double)count / (double)h[k].total : 0;
			if (count)
				buf_addf(b, "<div><span>%s</span><i><b style=\"width:%.1f%%\"></b>"
					 "</i><span>%.1f %%</span><span>%" PRIu64 ", %s</span>"
					 "</div>\n", part_names[k], percent, percent, count,
					 range[i].name);
		}
	buf_add(b, STR("</div>\n"));
}

static void trace_page_put_sums(struct buf *b, const char *title, const struct trace_table *t)
{
	const char *const columns[] = { "name", "requests", "metadata", "read", "written", "time",
					NULL };
	trace_page_begin_table(b, title, columns);
	for (size_t i = 0; i < t->n && i < ROWS; i++) {
		const struct trace_sum *s = &t->sum[i];
		buf_add(b, STR("<tr>"));
		trace_page_put_name(b, s->name);
		trace_page_put_count(b, s->ops);
		trace_page_put_count(b, s->meta);
		trace_page_put_bytes(b, s->read);
		trace_page_put_bytes(b, s->written);
		trace_page_put_ns(b, s->ns);
		buf_add(b, STR("</tr>\n"));
	}
	trace_page_end_table(b, t->n);
}

static void trace_page_put_files(struct buf *b, const struct trace_table *t)
{
	static const char *const columns[] = { "file", "order", "shared", NULL };
	char pattern[TRACE_WORDS], sharing[TRACE_WORDS];
	size_t shown = 0;
	trace_page_begin_table(b, "Order of requests, and files that processes share", columns);
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_sum *f = &t->sum[i];
		if ((!f->reads && !f->writes) || shown++ >= ROWS)
			continue;
		buf_add(b, STR("<tr>"));
		trace_page_put_name(b, f->name);
		html_put_element(b, "td", trace_pattern_text(pattern, f));
		html_put_element(b, "td", trace_sharing_text(sharing, f));
		buf_add(b, STR("</tr>\n"));
	}
	trace_page_end_table(b, shown);
}

static void trace_page_put_slowest(struct buf *b, const struct trace_sums *s)
{
	static const char *const columns[] = { "file", "operation", "time", "process", NULL };
	trace_page_begin_table(b, "Slowest requests", columns);
	for (const struct slow *w = s->slowest; w < s->slowest + SLOWEST && w->path; w++) {
		buf_add(b, STR("<tr>"));
		trace_page_put_name(b, w->path);
		html_put_element(b, "td", operation_name(w->op));
		trace_page_put_ns(b, w->ns);
		trace_page_put_name(b, w->process);
		buf_add(b, STR("</tr>\n"));
	}
	trace_page_end_table(b, 0);
}

/* Fill in the chart: one panel for bytes read and one for bytes written, over the whole trace. */
static void trace_page_fill_chart(struct chart *c, const struct byte_rates *r)
{
	static const char *const titles[] = { "read", "written" };

	chart_init(c, 1, ARRAY_SIZE(titles), r->n + 1, false);
	for (size_t i = 0; i <= r->n; i++)
		c->edge[i] = rates_start(r, i) / 1000;
	c->start = c->edge[0];
	c->end = c->edge[r->n];
	for (size_t i = 0; i < r->n; i++) {
		double seconds = (double)r->width / 1e9;
		chart_values(c, 0, 0)[i] = (float)((double)r->step[i].read / seconds);
		chart_values(c, 0, 1)[i] = (float)((double)r->step[i].written / seconds);
	}
	chart_measure(c);
	for (size_t i = 0; i < c->n_panels; i++) {
		struct chart_panel *p = &c->panel[i];
		struct axis axis = axis_of(UNIT_BYTES, true, p->largest > 0 ? p->largest : 1);
		str_copy(p->title, sizeof(p->title), str_of(titles[i]));
		str_copy(p->unit, sizeof(p->unit), str_of(axis.unit));
		p->by = p->largest > 0 ? axis.by : 1;
		p->flat = true;
	}
	snprintf(c->title, sizeof(c->title), "Bytes over time, %s", text_time(c->start).s);
}

static void trace_page_keep_log_line(void *arg, enum log_level level, const char *line)
{
	struct buf *b = arg;
	(void)level;
	buf_addf(b, "%s%s", b->n ? "; " : "", line);
}

static void trace_page_put_rates(struct buf *b, const struct byte_rates *r)
{
	struct buf svg CLEANUP(buf_free) = { 0 }, program CLEANUP(buf_free) = { 0 };
	struct buf why CLEANUP(buf_free) = { 0 };
	const struct listener listener = { trace_page_keep_log_line, &why };
	const struct plot_how how = { .form = PLOT_SVG };
	struct chart c;

	if (r->n == 0)
		return;
	trace_page_fill_chart(&c, r);
	plot_put_script(&program, &c, &how);
	chart_free(&c);
	if (gnuplot_draw(buf_str(&program), &svg, &listener) < 0)
		svg.n = 0;
	buf_add_char(&why, '\0');
	html_put_chart(b,
		       &(struct html_drawing){ buf_str(&svg), "Bytes read and written over time.",
						  why.p });
}

static void trace_page_put_head(struct buf *b, const struct trace_sums *s)
{
	char span[TRACE_TEXT];
	buf_addf(b, "<dl><dt>requests</dt><dd>%" PRIu64 " that reached the file system</dd>\n"
		 "<dt>over</dt><dd>%s</dd>\n", s->records, trace_ns_text(span, s->last - s->first));
	if (s->data)
		buf_addf(b, "<dt>reads and writes</dt><dd>%" PRIu64 ": %.1f %% under 4 KiB, "
			 "%.1f %% not where the last ended</dd>\n", s->data,
			 100 * (double)s->small / (double)s->data,
			 100 * (double)s->jumps / (double)s->data);
	buf_add(b, STR("<dt>records that were lost</dt><dd>"));
	trace_put_losses(b, s);
	buf_add(b, STR("</dd>\n</dl>\n"));
}

void trace_put_page(struct buf *b, const struct trace_sums *s)
{
	html_begin(b, "Operations on files");
	trace_page_put_head(b, s);
	trace_page_put_rates(b, &s->rates);
	trace_page_put_use(b, s);
	trace_page_put_ranges(b, "Sizes", trace_sizes, TRACE_SIZES, s->all.size, PART_META);
	trace_page_put_ranges(b, "Times", trace_times, TRACE_TIMES, s->all.ns, PARTS);
	trace_page_put_sums(b, "Programs", &s->by_program);
	trace_page_put_sums(b, "Processes", &s->by_process);
	trace_page_put_sums(b, "Files", &s->by_file);
	trace_page_put_files(b, &s->by_file);
	trace_page_put_slowest(b, s);
	html_end(b);
}
