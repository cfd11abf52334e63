/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - nodometer compare: explain why a run, or a set of runs, took longer than another */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/log.h"
#include "report/advice.h"
#include "report/compare/print_compare.h"
#include "report/search.h"

enum { DIR_, FROM, LOGIN, SINCE, UNTIL, ADVICE, JSON };
static const struct cli_option options[] = {
	[DIR_]  = { "dir",   "DIR",  "archive or its URL, or one file (" DIR_DEFAULT ")" },
	[FROM]  = FROM_ROW,
	[LOGIN] = LOGIN_ROW,
	[SINCE] = { "since", "TIME", "only runs of these jobs from TIME on" },
	[UNTIL] = { "until", "TIME", "only runs of these jobs up to TIME" },
	[ADVICE] = { "advice", "FILE", "thresholds of findings (default "
		     SYSCONFDIR "/nodometer/advice.conf)" },
	[JSON]  = { "json",  NULL, "print an object: share/nodometer/schemas/compare-1.json" },
};
static const struct cli cli = {
	.command = "compare", .operands = "JOB[,JOB...] JOB[,JOB...]", CLI_OPTIONS(options),
	.about = "Compares two runs, or two sets of runs: differences beyond the usual variation,\n"
		 "and which of these explain the longer elapsed time.\n" CLI_TIME,
};

struct request {
	struct search search;
	const char *advised;
	bool json;
	struct advice advice;
	struct side side[2];
};

static bool compare_has_figures(const struct side *s)
{
	size_t known = 0;
	for (size_t i = 0; i < MEASURES; i++)
		known += measures[i].of[0] && s->of[i].n > 0;
	return known > 0 || s->parted > 0;
}

static bool compare_add_job(struct request *a, struct side *s, const char *job);

/* Add all tasks of an array as runs. */
static bool add_tasks(struct request *a, struct side *s, const struct like *tasks)
{
	bool added = true;
	for (size_t i = 0; i < tasks->n && added; i++)
		added = compare_add_job(a, s, tasks->id[i]);
	return added;
}

static bool compare_add_job(struct request *a, struct side *s, const char *job)
{
	struct search q = a->search;
	struct report r = { 0 };

	q.takes_tasks = true;
	search_job(&cli, &q, job);
	bool found = search_all(&q, &r);
	if (found)
		side_add(s, &r, a->advice.site);
	report_free(&r);
	if (!found && q.like.tasks)
		found = add_tasks(a, s, &q.like);
	search_free(&q);
	return found;
}

static bool add_jobs(struct request *a, struct side *s, const char *list)
{
	struct str rest = str_of(list), job;
	bool added = true;

	while (added && str_take_item(&rest, &job)) {
		char *name = xstrdup(job);
		added = compare_add_job(a, s, name);
		free(name);
	}
	if (added && s->runs == 0)
		cli_wrong(&cli, "\"%s\" contains no job id", list);
	if (added && !compare_has_figures(s)) {
		log_error("%s: no figure that can be compared; \"nodometer report JOB\" shows "
			  "what is known", list);
		return false;
	}
	return added;
}

/* Reject a job that is given twice, because it would make the spread between runs too small. */
static void check_once(const struct side *s)
{
	for (size_t i = 0; i < s->runs; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(s->job[i], s->job[k]) == 0)
				cli_wrong(&cli, "job %s is named twice", s->job[i]);
}

static int compare_print(const struct request *a)
{
	struct buf out CLEANUP(buf_free) = { 0 };

	if (a->json)
		compare_put_json(&out, a->side);
	else
		compare_put_text(&out, a->side, cli_has_colour());
	return cli_print(&out);
}

static int compare_sets(struct request *a, char **sets)
{
	for (size_t i = 0; i < 2; i++) {
		if (!add_jobs(a, &a->side[i], sets[i]))
			return CLI_FAILED;
		check_once(&a->side[i]);
	}
	return compare_print(a);
}

int main(int argc, char **argv)
{
	struct request a = { .search = SEARCH_ALL };
	const char *arg;

	log_open("nodometer compare", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		switch (o) {
		case DIR_:   a.search.dir = arg; break;
		case FROM:   a.search.from.url = arg; break;
		case LOGIN:  a.search.from.login = arg; break;
		case SINCE:  a.search.ask.since = cli_time(&cli, arg); break;
		case UNTIL:  a.search.ask.until = cli_time(&cli, arg); break;
		case ADVICE: a.advised = arg; break;
		case JSON:   a.json = true; break;
		}
	cli_check_times(&cli, a.search.ask.since, a.search.ask.until);
	if (argc - optind != 2)
		cli_wrong(&cli, "name two jobs, or two lists of jobs");
	search_leave_root(&a.search, false);
	advice_begin(&a.advice);
	int status = advice_read(a.advised, &a.advice) ? compare_sets(&a, argv + optind) :
							 CLI_FAILED;
	side_free(&a.side[0]);
	side_free(&a.side[1]);
	advice_end(&a.advice);
	return status;
}
