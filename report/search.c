/* SPDX-License-Identifier: BSD-3-Clause */
/* search.c - a job or hosts as the command line names them, and their records in the archive */
#include "report/search.h"

#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"

static int64_t take_time(const struct cli *cli, const char *text)
{
	int64_t usec;
	if (cli_time(text, &usec) < 0)
		cli_wrong(cli, "%s: not a time", text);
	return usec;
}

void search_option(const struct cli *cli, struct search *q, int option, const char *arg)
{
	switch (option) {
	case SEARCH_DIR:   q->dir = arg; break;
	case SEARCH_HOST:  q->host = arg; break;
	case SEARCH_SINCE: q->since = take_time(cli, arg); break;
	case SEARCH_UNTIL: q->until = take_time(cli, arg); break;
	case SEARCH_DEVICE: q->device = arg; break;
	}
}

void search_operand(const struct cli *cli, struct search *q, int argc, char **argv)
{
	if (q->host)
		return;
	if (q->since != INT64_MIN || q->until != INT64_MAX)
		cli_wrong(cli, "--since and --until are of --host");
	if (optind == argc || argv[optind][0] == '\0')
		cli_wrong(cli, "no JOB is named");
	q->job = argv[optind++];
	if (strcmp(q->job, "-") == 0)
		cli_wrong(cli, "\"-\" in the records means that there is no job");
}

/* Ten times a second at most, and not in the first second. */
static void show_progress(const struct report *r)
{
	static int64_t next;
	int64_t t = monotonic_ns();

	if (next == 0)
		next = t + 1000000000;
	if (t < next)
		return;
	next = t + 100000000;
	fprintf(stderr, "\r%zu hosts, %zu files searched, %s %zu nodes ", r->hosts, r->files,
		r->job ? "job on" : "records of", r->n);
}

/* Where the files of this one's host end. */
static size_t host_end(const struct search *q, size_t i)
{
	size_t end = i + 1;
	while (end < q->n && strcmp(q->file[end].host, q->file[i].host) == 0)
		end++;
	return end;
}

static void ask_for(const struct search *q, struct report *r)
{
	r->job = q->job;
	r->since = q->since;
	r->until = q->until;
	r->device = q->device;
}

bool search_all(struct search *q, struct report *r)
{
	int e = archive_list(q->dir, &q->file, &q->n);
	if (e < 0) {
		log_error("%s: %s", q->dir, input_why(e));
		return false;
	}
	ask_for(q, r);
	r->progress = isatty(STDERR_FILENO) ? show_progress : NULL;
	for (size_t i = 0, end; i < q->n; i = end) {
		end = host_end(q, i);
		if (!q->host || fnmatch(q->host, q->file[i].host, 0) == 0)
			report_host(r, q->file + i, end - i);
	}
	procs_sort(&r->procs);
	if (r->progress)
		fputs("\r\033[K", stderr);
	if (r->n > 0)
		return true;
	log_error("no records of %s %s below %s (files searched: %zu, hosts: %zu)",
		  q->job ? "job" : "host", q->job ? q->job : q->host, q->dir, r->files, r->hosts);
	log_error("\"nodometer cat FILE\" shows whose records a file holds");
	return false;
}

void search_node(const struct search *q, const struct node *node, struct report *r)
{
	size_t i = 0, end;

	ask_for(q, r);
	while (i < q->n && strcmp(q->file[i].host, node->name) != 0)
		i++;
	if (i == q->n)
		return;
	end = host_end(q, i);
	while (i + 1 < end && q->file[i + 1].epoch <= node->start / 1000000)
		i++;
	while (end > i + 1 && q->file[end - 1].epoch > node->end / 1000000)
		end--;
	report_host(r, q->file + i, end - i);
}

void search_free(struct search *q)
{
	archive_list_free(q->file, q->n);
}
