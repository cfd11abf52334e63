/* SPDX-License-Identifier: BSD-3-Clause */
/* mail.c - write a table of jobs as an HTML page, or as a complete e-mail message */
#include "report/jobs/mail.h"

#include <time.h>
#include "base/utf8.h"
#include "base/wrapped.h"
#include "plot/html.h"

/* Mail programs ignore style sheets, so the table has style attributes. */
#define TABLE "<table border=\"1\" cellpadding=\"4\" cellspacing=\"0\" " \
	      "style=\"border-collapse:collapse;font:13px sans-serif\">\n"

/*
 * Write a cell. Its text is wrapped, since a line of a message may have at most 998 bytes (RFC
 * 5322, 2.1.1).
 */
static void mail_put_cell(void *arg, size_t column, const char *text)
{
	struct buf printable CLEANUP(buf_free) = { 0 }, lines CLEANUP(buf_free) = { 0 };

	utf8_put(&printable, str_of(text));
	utf8_make_printable(printable.p, printable.n);
	wrapped_put(&lines, 0, buf_str(&printable));
	lines.p[lines.n - 1] = '\0';
	buf_add(arg, column ? STR("<td>") : STR("<td><b>"));
	html_put_text(arg, lines.p);
	buf_add(arg, column ? STR("</td>\n") : STR("</b></td>\n"));
}

static void mail_put_titles(struct buf *b, const struct jobs_page *p)
{
	bool grouped = p->groups->by != GROUP_NONE;
	size_t n = grouped ? GROUP_COLUMNS : JOBS_COLUMNS;

	buf_add(b, STR("<thead><tr>"));
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "<th scope=\"col\" align=\"left\">%s</th>\n",
			 !grouped ? jobs_columns[i] : i ? group_columns[i].title :
			 group_names[p->groups->by]);
	for (size_t i = 0; i < p->table->n_figures; i++)
		buf_addf(b, "<th scope=\"col\" align=\"left\">%s</th>\n",
			 run_figure_name(p->table->figure[i]).s);
	buf_add(b, STR("</tr></thead>\n<tbody>\n"));
}

void jobs_put_html(struct buf *b, const struct jobs_page *p)
{
	bool grouped = p->groups->by != GROUP_NONE;
	size_t n = grouped ? p->groups->n : p->of->list.n;

	buf_add(b, STR("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		       "<title>"));
	html_put_text(b, p->title);
	buf_add(b, STR("</title></head>\n<body><main><h1 style=\"font:bold 17px sans-serif\">"));
	html_put_text(b, p->title);
	buf_add(b, STR("</h1>\n" TABLE));
	mail_put_titles(b, p);
	for (size_t i = 0; i < n && i < p->most; i++) {
		buf_add(b, STR("<tr>"));
		const struct listed_job *j = grouped ? NULL : listing_job(p->of, i);
		if (grouped)
			groups_put_row(b, mail_put_cell, p->table, &p->groups->group[i]);
		else
			jobs_put_row(b, mail_put_cell, p->table, j,
				     sacct_find(&p->of->sacct, j->id));
		buf_add(b, STR("</tr>\n"));
	}
	buf_add(b, STR("</tbody></table>\n</main></body></html>\n"));
}

bool mail_takes_address(struct str address)
{
	for (size_t i = 0; i < address.n; i++)
		if (address.p[i] <= ' ' || address.p[i] > '~')
			return false;
	return address.n > 0 && address.n < 256 && str_peek(address) != '-';
}

/* boundary between the parts; no line of the text or the HTML page begins with it */
#define BOUNDARY "=_nodometer_jobs_part"

void jobs_put_mail(struct buf *b, const struct jobs_page *p, const char *to, struct str text,
		   int64_t time)
{
	const time_t t = (time_t)time;
	char date[64] = "";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S %z", &tm);
	buf_addf(b, "To: %s\nSubject: %s\nDate: %s\nMIME-Version: 1.0\n"
		 "Content-Type: multipart/alternative; boundary=\"" BOUNDARY "\"\n"
		 "\n--" BOUNDARY "\nContent-Type: text/plain; charset=utf-8\n"
		 "Content-Transfer-Encoding: 8bit\n\n" STR_FMT
		 "\n--" BOUNDARY "\nContent-Type: text/html; charset=utf-8\n"
		 "Content-Transfer-Encoding: 8bit\n\n", to, p->title, date, STR_ARG(text));
	jobs_put_html(b, p);
	buf_add(b, STR("\n--" BOUNDARY "--\n"));
}
