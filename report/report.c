/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - nodometer report: what a job used on all of its nodes, or hosts in some time */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "plot/gnuplot.h"
#include "report/advice.h"
#include "report/draw.h"
#include "report/print.h"
#include "report/search.h"
#include "figures/totals.h"

enum { JSON = SEARCH_OPTIONS, HTML, ADVICE };
static const struct cli_option options[] = {
	SEARCH_ROWS,
	[ADVICE] = { "advice", "FILE", "a site's thresholds of findings; usually "
		     SYSCONFDIR "/nodometer/advice.conf" },
	[HTML] = { "html", "FILE", "write a page for a browser, with a chart, and print none" },
	[JSON] = { "json", NULL, "print an object per job: numbers unrounded, and of each node" },
};
static const struct cli cli = {
	.command = "report",
	.operands = "JOB... | --host HOST",
	.about = "Reports what jobs used, on all nodes with records of them, or what hosts did.\n"
		 "TIME is epoch seconds or local \"YYYY-MM-DD HH:MM[:SS]\".",
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

static bool has_figures(const struct report *r)
{
	struct total t;
	for (size_t i = 0; i < n_figures; i++)
		if (total_of(r, i, &t))
			return true;
	return false;
}

/* How pages are printed. */
struct pages {
	bool json;
	const char *html;	/* a file for one job, NULL: none */
	const struct finding_site *site;
	bool begun;	/* there was one before */
};

static void keep(void *arg, enum log_level level, const char *line)
{
	(void)level;
	struct buf *b = arg;
	buf_addf(b, "%s%s", b->n ? "; " : "", line);
}

/* The page without a chart is better than none. */
static int write_html(struct pages *p, const struct search *q, const struct report *r)
{
	struct buf page CLEANUP(buf_free) = { 0 }, svg CLEANUP(buf_free) = { 0 };
	struct buf program CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	const struct listener listener = { keep, &why };
	const struct plot_how how = { .form = PLOT_SVG };
	struct survey y = { 0 };

	draw_survey(&y, q, r);
	survey_end(&y);
	if (!draw_program(&program, q, r, &y, &how, &listener) ||
	    gnuplot_draw(buf_str(&program), &svg, &listener) < 0)
		log_warning("%s: no chart: " STR_FMT, p->html, STR_ARG(buf_str(&why)));
	buf_add_char(&why, '\0');
	survey_free(&y);

	const struct drawing drawing = { buf_str(&svg), why.p };
	print_html(&page, r, p->site, &drawing);
	int e = files_publish(p->html, buf_str(&page));
	if (e < 0)
		log_error("%s: %s", p->html, strerror(-e));
	return e < 0 ? CLI_FAILED : CLI_OK;
}

static int print(struct pages *p, const struct search *q, const struct report *r)
{
	const char *no_color = getenv("NO_COLOR");

	if (r->device && !has_figures(r)) {
		log_error("no figure of device %s; \"nodometer cat FILE\" shows a file's devices",
			  r->device);
		return CLI_FAILED;
	}
	if (p->html)
		return write_html(p, q, r);
	if (p->begun && !p->json)
		putchar('\n');
	p->begun = true;
	if (p->json)
		print_json(stdout, r, p->site);
	else
		print_text(stdout, r, p->site, isatty(STDOUT_FILENO) && !(no_color && *no_color));
	if (fflush(stdout) != 0 || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return CLI_FAILED;
	}
	return CLI_OK;
}

/* Without a file of one's own it may be missing. */
static bool read_advice(const char *path, struct finding_site *site)
{
	int r = advice_read(path ? path : SYSCONFDIR "/nodometer/advice.conf", site);
	if (path && r == -ENOENT)
		log_error("%s: %s", path, strerror(ENOENT));
	return r == 0 || (r == -ENOENT && !path);
}

static int report(struct search *q, struct pages *p)
{
	struct report report = { 0 };
	int r = search_all(q, &report) ? print(p, q, &report) : CLI_FAILED;
	report_free(&report);
	search_free(q);
	return r;
}

static int report_jobs(struct search *q, char **job, struct pages *p)
{
	int r = CLI_OK;
	for (; *job; job++) {
		search_job(&cli, q, *job);
		r |= report(q, p);
	}
	return r;
}

int main(int argc, char **argv)
{
	struct search q = SEARCH_ALL;
	struct finding_site *site = calloc(n_finding_rules, sizeof(*site));
	const char *arg, *advice = NULL;
	struct pages pages = { .site = site };

	log_open("nodometer report", LOG_LEVEL_INFO);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		search_option(&cli, &q, o, arg);
		pages.json |= o == JSON;
		pages.html = o == HTML ? arg : pages.html;
		advice = o == ADVICE ? arg : advice;
	}
	if (q.host && optind < argc)
		cli_wrong(&cli, "JOBs or --host");
	if (!q.host && optind == argc)
		cli_wrong(&cli, "no JOB is named");
	if (pages.html && (pages.json || argc - optind > 1))
		cli_wrong(&cli, "--html is a page of one job, and of nothing else");
	for (int i = optind; i < argc; i++)
		search_job(&cli, &q, argv[i]);
	int r = CLI_FAILED;
	if (site && read_advice(advice, site))
		r = q.host ? report(&q, &pages) : report_jobs(&q, argv + optind, &pages);
	free(site);
	return r;
}
