/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - nodometer report: what a job used, on all of its nodes */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "report/print.h"

enum { DONE, FAILED, USAGE };	/* exit codes */

static const char usage[] =
	"Usage: nodometer report JOB [--dir DIR] [--json]\n"
	"What a job used, on all nodes that have records of it.\n"
	"\n"
	"  --dir DIR   the archive, DIR/HOST/EPOCH (" LOCALSTATEDIR "/lib/nodometer)\n"
	"  --json      one JSON object: the same numbers unrounded, and node by node\n"
	"  --help, --version\n";

struct options {
	const char *job, *dir;
	bool json;
	bool done;	/* --help or --version was answered */
};

static bool read_options(struct options *o, int argc, char **argv)
{
	enum { DIR, JSON, HELP, VERSION_ };
	static const struct option longs[] = {
		{ "dir",     required_argument, NULL, DIR      },
		{ "json",    no_argument,       NULL, JSON     },
		{ "help",    no_argument,       NULL, HELP     },
		{ "version", no_argument,       NULL, VERSION_ },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == '?')
			return false;
		if (c == DIR)
			o->dir = optarg;
		o->json |= c == JSON;
		o->done |= c == HELP || c == VERSION_;
		if (c == HELP)
			fputs(usage, stdout);
		else if (c == VERSION_)
			puts("nodometer-report " PACKAGE_VERSION);
	}
	if (!o->done && optind + 1 == argc)
		o->job = argv[optind];
	return o->done || (o->job && o->job[0]);
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
	fprintf(stderr, "\r%zu hosts, %zu files searched, job on %zu nodes ", r->hosts, r->files,
		r->n);
}

static void search(struct report *r, const struct archive_file *file, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(file[end].host, file[i].host) == 0; end++)
			;
		report_host(r, file + i, end - i);
	}
	procs_sort(&r->procs);
	if (r->progress)
		fputs("\r\033[K", stderr);
}

static int print(const struct report *r, const struct options *o)
{
	const char *no_color = getenv("NO_COLOR");

	if (r->n == 0) {
		log_error("job %s is in none of %zu files of %zu hosts below %s", o->job, r->files,
			  r->hosts, o->dir);
		log_error("\"nodometer cat FILE\" shows which jobs a file holds");
		return FAILED;
	}
	if (o->json)
		print_json(stdout, r);
	else
		print_text(stdout, r, isatty(STDOUT_FILENO) && !(no_color && *no_color));
	if (fflush(stdout) != 0 || ferror(stdout)) {
		log_error("standard output: %m");
		return FAILED;
	}
	return DONE;
}

int main(int argc, char **argv)
{
	struct options o = { .dir = LOCALSTATEDIR "/lib/nodometer" };
	struct archive_file *file;
	size_t n;

	log_open("nodometer report", LOG_LEVEL_NOTICE);
	if (!read_options(&o, argc, argv)) {
		fputs(usage, stderr);
		return USAGE;
	}
	if (o.done)
		return DONE;
	int r = archive_list(o.dir, &file, &n);
	if (r < 0) {
		log_error("%s: %s", o.dir, strerror(-r));
		return FAILED;
	}
	struct report report = { .job = o.job,
				 .progress = isatty(STDERR_FILENO) ? show_progress : NULL };
	search(&report, file, n);
	r = print(&report, &o);
	report_free(&report);
	archive_list_free(file, n);
	return r;
}
