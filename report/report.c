/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - nodometer report: what a job used on all of its nodes, or hosts in some time */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "report/print.h"
#include "report/search.h"
#include "figures/totals.h"

enum { JSON = SEARCH_OPTIONS };
static const struct cli_option options[] = {
	SEARCH_ROWS,
	[JSON] = { "json", NULL, "print one JSON object: numbers unrounded, and of each node" },
};
static const struct cli cli = {
	.command = "report",
	.operands = "JOB | --host HOST",
	.about = "Reports what a job used, on all nodes with records of it, or what hosts did.\n"
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

static int print(const struct report *r, bool json)
{
	const char *no_color = getenv("NO_COLOR");

	if (r->device && !has_figures(r)) {
		log_error("no figure of device %s; \"nodometer cat FILE\" shows a file's devices",
			  r->device);
		return CLI_FAILED;
	}
	if (json)
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
	struct search q = SEARCH_ALL;
	struct report report = { 0 };
	const char *arg;
	bool json = false;

	log_open("nodometer report", LOG_LEVEL_INFO);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		search_option(&cli, &q, o, arg);
		json |= o == JSON;
	}
	search_operand(&cli, &q, argc, argv);
	if (optind < argc)
		cli_wrong(&cli, q.host ? "a JOB or --host" : "one JOB at a time");
	int r = search_all(&q, &report) ? print(&report, json) : CLI_FAILED;
	report_free(&report);
	search_free(&q);
	return r;
}
