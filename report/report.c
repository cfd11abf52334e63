/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - nodometer report: report the resources that a job used, or the activity of hosts */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/vec.h"
#include "base/clock.h"
#include "base/when.h"
#include "plot/gnuplot.h"
#include "report/advice.h"
#include "report/draw.h"
#include "report/intervals.h"
#include "report/moment.h"
#include "report/print.h"
#include "report/report.h"
#include "report/sacct.h"
#include "report/search.h"
#include "figures/totals.h"

/* largest number of tasks of an array to print as text; JSON has no limit */
#define TASKS_MAX 100

enum { JSON = SEARCH_OPTIONS, JOBSTATS, HTML, ADVICE, SACCT, VERBOSE, AT };
static const struct cli_option options[] = {
	SEARCH_ROWS,
	[ADVICE] = { "advice", "FILE", "thresholds and cost of energy (default "
		     SYSCONFDIR "/nodometer/advice.conf)" },
	[SACCT] = { "sacct", "FILE",
			"output of sacct --parsable2; JOB may be an array or a task of it" },
	[HTML] = { "html", "FILE", "write an HTML page with charts to FILE; print nothing" },
	[AT] = { "at", "TIME", "with --host: report the time between the two samples around TIME" },
	[VERBOSE] = { "verbose", NULL,
			"name devices left out because others count the same bytes, as the disks "
			"of a RAID" },
	[JSON] = { "json", NULL, "print an object per job: share/nodometer/schemas/report-1.json" },
	[JOBSTATS] = { "jobstats", NULL,
			"print the summary of an ended job in the format of jobstats" },
};
static const struct cli cli = {
	.command = "report",
	.operands = "[JOB... | --host [HOST]]",
	.about = "Reports the resources that jobs used on their nodes, or that hosts used.\n"
		 "Without JOB and --host, prints what this node did today, a line per interval.\n"
		 CLI_TIME,
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

static bool report_has_figures(const struct report *r)
{
	struct total t;
	for (size_t i = 0; i < n_figures; i++)
		if (total_of(r, i, &t))
			return true;
	return false;
}

/* How to print reports. */
struct pages {
	bool json, jobstats, verbose;
	int64_t at;	/* moment to report on, for a host; 0: report the whole time range */
	const char *html;	/* path of an HTML file for a single job, or NULL */
	struct sacct sacct;
	struct advice advice;
	bool begun;	/* a report was printed already */
};

static void report_keep(void *arg, enum log_level level, const char *line)
{
	(void)level;
	struct buf *b = arg;
	buf_addf(b, "%s%s", b->n ? "; " : "", line);
}

/* Write the HTML page. If the chart cannot be drawn, write the page without it. */
static int write_html(struct pages *p, const struct search *q, const struct report *r)
{
	struct buf page CLEANUP(buf_free) = { 0 }, svg CLEANUP(buf_free) = { 0 };
	struct buf program CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	struct buf words CLEANUP(buf_free) = { 0 };
	const struct listener listener = { report_keep, &why };
	const struct plot_how how = { .form = PLOT_SVG };
	struct survey y = { .device = r->device };

	draw_survey(&y, q, r);
	survey_end(&y);
	if (!draw_program(&program, &words, NULL, q, r, &y, &how, &listener) ||
	    gnuplot_draw(buf_str(&program), &svg, &listener) < 0)
		log_warning("%s: no chart: " STR_FMT, p->html, STR_ARG(buf_str(&why)));
	buf_add_char(&why, '\0');
	buf_add_char(&words, '\0');
	survey_free(&y);

	const struct html_drawing drawing = { buf_str(&svg), words.p, why.p };
	print_html(&page, r, &p->advice, &drawing, p->verbose);
	return cli_publish(strcmp(p->html, "-") == 0 ? NULL : p->html, buf_str(&page));
}

static int print_ended(const struct report *r)
{
	if (print_jobstats(stdout, r))
		return cli_flush();
	log_error("job %s: no summary: it needs CPU time, CPUs, memory and memory limit of a node "
		  "where the job has ended", r->job);
	return CLI_FAILED;
}

static int report_print_page(struct pages *p, const struct search *q, const struct report *r)
{
	if (r->device && !report_has_figures(r)) {
		log_error("device %s has no figures; \"nodometer cat FILE\" lists the devices of a "
			  "file", r->device);
		return CLI_FAILED;
	}
	if (p->html)
		return write_html(p, q, r);
	if (p->jobstats)
		return print_ended(r);
	if (p->begun && !p->json)
		putchar('\n');
	p->begun = true;
	if (p->json)
		print_json(stdout, r, &p->advice);
	else
		print_text(stdout, r, &p->advice, cli_has_colour(), p->verbose);
	return cli_flush();
}

static int report_job(struct search *q, struct pages *p);

/* Report on all tasks of a job array whose own id has no records in the archive. */
static int report_tasks(struct search *q, struct pages *p)
{
	struct search one = *q;
	struct buf names CLEANUP(buf_free) = { 0 };
	int r = CLI_OK;

	like_put(&names, &q->like);
	if (p->html || (!p->json && q->like.n > TASKS_MAX)) {
		log_error("job %s has %zu tasks: " STR_FMT "; name one of them", q->ask.job,
			  q->like.n, STR_ARG(buf_str(&names)));
		return CLI_FAILED;
	}
	one.takes_tasks = false;
	one.file = NULL;	/* the caller frees its own list of files */
	one.n = 0;
	one.answer = (struct answer_use){ false };
	one.accounting = (struct sacct){ 0 };
	for (size_t i = 0; i < q->like.n; i++) {
		one.like = (struct like){ 0 };
		one.ask.job = q->like.id[i];
		r |= report_job(&one, p);
	}
	return r;
}

static int report_job(struct search *q, struct pages *p)
{
	struct report report = { 0 };
	const struct sacct_job *j = q->ask.job ? sacct_find(&p->sacct, q->ask.job) : NULL;
	bool found = p->at ? moment_report(q, p->at, &report) : search_all(q, &report);
	if (found && j)
		sacct_add(&report, j);
	int r = found ? report_print_page(p, q, &report) : CLI_FAILED;
	moment_free(&report);
	report_free(&report);
	if (!found && q->takes_tasks && q->like.tasks)
		r = report_tasks(q, p);
	search_free(q);
	return r;
}

/* The distinct jobs to report on. One operand, such as an array's id, may select several jobs. */
struct meant {
	const char **job;
	size_t n, cap;
};

static void report_mean(struct meant *m, const char *job)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->job[i], job) == 0)
			return;
	m->job = vec_reserve(m->job, &m->cap, m->n + 1, sizeof(*m->job));
	m->job[m->n++] = job;
}

/*
 * Return whether an operand selects this job of the accounting file, by its internal id `raw` or
 * its id for users, `shown`. `names` is the NULL-terminated list of operands.
 */
static bool is_named(const void *names, struct str raw, struct str shown)
{
	for (char *const *name = names; *name; name++)
		if (str_eq(raw, str_of(*name)) || sacct_means(shown, *name))
			return true;
	return false;
}

static void report_take_jobs(struct meant *m, char **name, const struct sacct *s)
{
	for (; *name; name++) {
		bool any = false;
		for (size_t i = 0; i < s->n; i++) {
			if (!sacct_means(str_of(s->job[i].shown), *name))
				continue;
			any = true;
			report_mean(m, s->job[i].raw);
		}
		if (!any)
			report_mean(m, *name);
	}
}

static int report_jobs(struct search *q, const struct meant *m, struct pages *p)
{
	int r = CLI_OK;
	for (size_t i = 0; i < m->n; i++) {
		search_job(&cli, q, m->job[i]);
		r |= report_job(q, p);
	}
	return r;
}

struct request {
	struct search search;
	struct pages pages;
	/* neither JOB nor --host was given: print a line per interval of this node */
	bool by_interval;
	const char *advice, *sacct;
};

/* Select this node and, if no time was given, today. */
static void report_take_today(struct request *q)
{
	const struct pages *p = &q->pages;

	if (p->json || p->jobstats || p->html || p->at || p->verbose || q->sacct || q->advice)
		cli_wrong(&cli, "missing JOB; \"nodometer jobs\" lists the jobs, --host reports "
			  "on this node");
	q->by_interval = true;
	search_option(&cli, &q->search, SEARCH_HOST, NULL);
	if (q->search.ask.since == INT64_MIN && q->search.ask.until == INT64_MAX &&
	    when_take("today", realtime_us(), &q->search.ask.since) < 0)
		abort();
}

static void report_take_options(struct request *q, int argc, char **argv)
{
	const char *arg;

	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		search_option(&cli, &q->search, o, arg);
		switch (o) {
		case JSON:   q->pages.json = true; break;
		case JOBSTATS: q->pages.jobstats = true; break;
		case AT: q->pages.at = cli_time(&cli, arg); break;
		case VERBOSE: q->pages.verbose = true; break;
		case HTML:   q->pages.html = arg; break;
		case ADVICE: q->advice = arg; break;
		case SACCT:  q->sacct = arg; break;
		}
	}
	cli_check_times(&cli, q->search.ask.since, q->search.ask.until);
	if (q->search.host && optind < argc)
		cli_wrong(&cli, "use either JOBs or --host");
	if (!q->search.host && optind == argc)
		report_take_today(q);
	if (q->pages.at && (!q->search.host || q->search.ask.since != INT64_MIN ||
			    q->search.ask.until != INT64_MAX))
		cli_wrong(&cli, "--at needs --host HOST, and cannot be used with --since or "
			  "--until");
	for (int i = optind; i < argc; i++)
		search_job(&cli, &q->search, argv[i]);
}

static int report_answer(struct request *q, const struct meant *jobs)
{
	if (q->pages.jobstats && (q->search.host || q->pages.json || q->pages.html))
		cli_wrong(&cli, "--jobstats needs a JOB, and cannot be used with --json or --html");
	if (q->pages.html && (q->pages.json || jobs->n > 1))
		cli_wrong(&cli, "--html reports on one job: name one JOB, without --json");
	return q->search.host ? report_job(&q->search, &q->pages) :
				report_jobs(&q->search, jobs, &q->pages);
}

int report_main(int argc, char **argv)
{
	struct request q = { .search = SEARCH_ALL };
	struct meant jobs = { NULL, 0, 0 };
	int r = CLI_FAILED;

	/* restart getopt(3): the calling program may have parsed options of its own */
	optind = 0;
	advice_begin(&q.pages.advice);
	q.search.takes_tasks = true;
	report_take_options(&q, argc, argv);
	if (!q.pages.html)	/* keep root's rights, if any, to write an HTML file */
		search_leave_root(&q.search, optind + 1 == argc);
	if (q.by_interval) {
		advice_end(&q.pages.advice);
		return intervals_print(stdout, &q.search) ? cli_flush() : CLI_FAILED;
	}
	q.pages.sacct = (struct sacct){ .wants = is_named, .arg = argv + optind };
	if (advice_read(q.advice, &q.pages.advice) &&
	    (!q.sacct || sacct_read(&q.pages.sacct, q.sacct) == 0)) {
		report_take_jobs(&jobs, argv + optind, &q.pages.sacct);
		r = report_answer(&q, &jobs);
	}
	sacct_free(&q.pages.sacct);
	free(jobs.job);
	advice_end(&q.pages.advice);
	return r;
}
