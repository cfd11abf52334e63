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
#include "figures/runs.h"
#include "report/read.h"

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
	case SEARCH_SINCE: q->ask.since = take_time(cli, arg); break;
	case SEARCH_UNTIL: q->ask.until = take_time(cli, arg); break;
	case SEARCH_DEVICE: q->ask.device = arg; break;
	}
}

void search_operand(const struct cli *cli, struct search *q, int argc, char **argv)
{
	if (q->host)
		return;
	if (optind == argc || argv[optind][0] == '\0')
		cli_wrong(cli, "no JOB is named");
	q->ask.job = argv[optind++];
	if (strcmp(q->ask.job, "-") == 0)
		cli_wrong(cli, "\"-\" in the records means that there is no job");
}

/* How far the search is. */
struct progress {
	const struct search *q;
	size_t hosts, files, runs;
	bool shown;
	int64_t next;		/* when it is shown again */
};

/* Ten times a second at most, and not in the first second. */
static void show_progress(void *arg)
{
	struct progress *p = arg;
	int64_t t = monotonic_ns();

	p->files++;
	if (!p->shown)
		return;
	if (p->next == 0)
		p->next = t + 1000000000;
	if (t < p->next)
		return;
	p->next = t + 100000000;
	fprintf(stderr, "\r%zu hosts, %zu files searched, %s %zu nodes ", p->hosts, p->files - 1,
		p->q->ask.job ? "job on" : "records of", p->runs);
}

static void warn(void *arg, struct str text)
{
	(void)arg;
	log_warning(STR_FMT, STR_ARG(text));
}

/* Where the files of this one's host end. */
static size_t host_end(const struct search *q, size_t i)
{
	size_t end = i + 1;
	while (end < q->n && strcmp(q->file[end].host, q->file[i].host) == 0)
		end++;
	return end;
}

static void search_host(const struct search *q, size_t first, size_t end, struct progress *p,
			struct report *r)
{
	const struct read_listener listener = { show_progress, warn, p };
	struct node_read found;

	p->hosts++;
	p->runs = r->found.n;
	node_read(&q->ask, &r->found, q->file + first, end - first, &listener, &found);
	r->unreadable += found.unreadable;
	report_add(r, &found.runs);
}

static void search_hosts(const struct search *q, struct progress *p, struct report *r)
{
	p->shown = isatty(STDERR_FILENO);
	for (size_t i = 0, end; i < q->n; i = end) {
		end = host_end(q, i);
		if (!q->host || fnmatch(q->host, q->file[i].host, 0) == 0)
			search_host(q, i, end, p, r);
	}
	if (p->shown)
		fputs("\r\033[K", stderr);
}

bool search_all(struct search *q, struct report *r)
{
	struct progress p = { .q = q };
	const char *job = q->ask.job;
	int e = archive_list(q->dir, &q->file, &q->n);

	if (e < 0) {
		log_error("%s: %s", q->dir, input_why(e));
		return false;
	}
	*r = (struct report){ .job = job, .since = q->ask.since, .until = q->ask.until,
			      .device = q->ask.device };
	search_hosts(q, &p, r);
	runs_choose(r);
	procs_sort(&r->procs);
	if (r->n > 0)
		return true;
	if (r->found.n > 0) {
		log_error("job %s was not there at that time, but at others", job);
		return false;
	}
	log_error("no records of %s %s below %s (files searched: %zu, hosts: %zu)",
		  job ? "job" : "host", job ? job : q->host, q->dir, p.files, p.hosts);
	log_error("\"nodometer cat FILE\" shows whose records a file holds");
	return false;
}

void search_node(const struct search *q, const struct node *node, struct figures table,
		 void (*taken)(void *arg, const struct taken *t), void *arg)
{
	const struct read_listener listener = { .defect = warn };
	struct node_query ask = q->ask;
	struct node_read found;
	size_t i = 0, end;

	ask.table = table;
	ask.taken = taken;
	ask.arg = arg;
	ask.taken_from = node->start;
	ask.taken_to = node->end;
	while (i < q->n && strcmp(q->file[i].host, node->name) != 0)
		i++;
	if (i == q->n)
		return;
	end = host_end(q, i);
	while (i + 1 < end && q->file[i + 1].epoch <= node->wall_start / 1000000)
		i++;
	while (end > i + 1 && q->file[end - 1].epoch > node->wall_end / 1000000)
		end--;
	node_read(&ask, NULL, q->file + i, end - i, &listener, &found);
	runs_free(&found.runs);
}

void search_free(struct search *q)
{
	archive_list_free(q->file, q->n);
}
