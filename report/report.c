/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - nodometer report: what a job used on all of its nodes, or hosts in some time */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "base/cli.h"
#include "report/print.h"

#define DIR_DEFAULT LOCALSTATEDIR "/lib/nodometer"

enum { DIR, HOST, SINCE, UNTIL, JSON };
static const struct cli_option options[] = {
	[DIR]   = { "dir",   "DIR",  "the archive, DIR/HOST/EPOCH (" DIR_DEFAULT ")" },
	[HOST]  = { "host",  "HOST", "no job: all records of this host (or \"*\")" },
	[SINCE] = { "since", "TIME", "of --host: only what is not older" },
	[UNTIL] = { "until", "TIME", "of --host: only what is not newer" },
	[JSON]  = { "json",  NULL,   "a JSON object: the same numbers unrounded, node by node" },
};
static const struct cli cli = {
	.command = "report",
	.operands = "JOB | --host HOST",
	.about = "What a job used, on all nodes that have records of it; or what there is of\n"
		 "hosts. TIME is epoch seconds or local \"YYYY-MM-DD HH:MM[:SS]\".",
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

struct request {
	const char *job, *dir, *host;	/* .job or .host is NULL */
	int64_t since, until;		/* microseconds */
	bool json;
};

static int64_t take_time(const char *text)
{
	int64_t usec;
	if (cli_time(text, &usec) < 0)
		cli_wrong(&cli, "%s: not a time", text);
	return usec;
}

static void take_option(struct request *q, int o, const char *arg)
{
	switch (o) {
	case DIR:   q->dir = arg; break;
	case HOST:  q->host = arg; break;
	case SINCE: q->since = take_time(arg); break;
	case UNTIL: q->until = take_time(arg); break;
	default:    q->json = true; break;
	}
}

static void take_options(struct request *q, int argc, char **argv)
{
	const char *arg;

	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		take_option(q, o, arg);
	if (q->host) {
		if (optind < argc)
			cli_wrong(&cli, "a JOB or --host");
		return;
	}
	if (q->since != INT64_MIN || q->until != INT64_MAX)
		cli_wrong(&cli, "--since and --until are of --host");
	if (optind == argc || argv[optind][0] == '\0')
		cli_wrong(&cli, "no JOB is named");
	if (optind + 1 < argc)
		cli_wrong(&cli, "one JOB at a time");
	q->job = argv[optind];
	if (strcmp(q->job, "-") == 0)
		cli_wrong(&cli, "\"-\" in the records means that there is no job");
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Ten times a second at most, and not in the first second. */
static void show_progress(const struct report *r)
{
	static double next;
	double t = now();

	if (next == 0)
		next = t + 1;
	if (t < next)
		return;
	next = t + .1;
	fprintf(stderr, "\r%zu hosts, %zu files searched, %s %zu nodes ", r->hosts, r->files,
		r->job ? "job on" : "records of", r->n);
}

static void search(struct report *r, const struct archive_file *file, size_t n, const char *host)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(file[end].host, file[i].host) == 0; end++)
			;
		if (!host || fnmatch(host, file[i].host, 0) == 0)
			report_host(r, file + i, end - i);
	}
	procs_sort(&r->procs);
	if (r->progress)
		fputs("\r\033[K", stderr);
}

static int print(const struct report *r, const struct request *q)
{
	const char *no_color = getenv("NO_COLOR");

	if (r->n == 0) {
		log_error("no records of %s %s below %s (files searched: %zu, hosts: %zu)",
			  q->job ? "job" : "host", q->job ? q->job : q->host, q->dir, r->files,
			  r->hosts);
		log_error("\"nodometer cat FILE\" shows whose records a file holds");
		return CLI_FAILED;
	}
	if (q->json)
		print_json(stdout, r);
	else
		print_text(stdout, r, isatty(STDOUT_FILENO) && !(no_color && *no_color));
	if (fflush(stdout) != 0 || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return CLI_FAILED;
	}
	return CLI_OK;
}

int main(int argc, char **argv)
{
	struct request q = { .dir = DIR_DEFAULT, .since = INT64_MIN, .until = INT64_MAX };
	struct archive_file *file;
	size_t n;

	log_open("nodometer report", LOG_LEVEL_INFO);
	take_options(&q, argc, argv);
	int r = archive_list(q.dir, &file, &n);
	if (r < 0) {
		log_error("%s: %s", q.dir, strerror(-r));
		return CLI_FAILED;
	}
	struct report report = { .job = q.job, .since = q.since, .until = q.until,
				 .progress = isatty(STDERR_FILENO) ? show_progress : NULL };
	search(&report, file, n, q.host);
	r = print(&report, &q);
	report_free(&report);
	archive_list_free(file, n);
	return r;
}
