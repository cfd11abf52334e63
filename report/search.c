/* SPDX-License-Identifier: BSD-3-Clause */
/* search.c - find the records of a job, or of hosts, for a command line */
#include "report/search.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/renamed.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/foreign.h"
#include "figures/runs.h"
#include "report/read/read_bytes.h"
#include "report/spread.h"

#define PORTION 8	/* number of hosts that search_hosts() searches first */

static const char *search_own_name(void)
{
	static char name[256];
	if (gethostname(name, sizeof(name) - 1) < 0)
		str_copy(name, sizeof(name), STR("localhost"));
	return name;
}

void search_option(const struct cli *cli, struct search *q, int option, const char *arg)
{
	switch (option) {
	case SEARCH_DIR:   q->dir = arg; break;
	case SEARCH_HOST:
		q->this_host = !arg;
		q->host = q->ask.node = arg ? arg : search_own_name();
		break;
	case SEARCH_SINCE: q->ask.since = cli_time(cli, arg); break;
	case SEARCH_UNTIL: q->ask.until = cli_time(cli, arg); break;
	case SEARCH_DEVICE: q->ask.device = arg; break;
	case SEARCH_FROM:  q->from.url = arg; break;
	case SEARCH_LOGIN: q->from.login = arg; break;
	}
}

void search_job(const struct cli *cli, struct search *q, const char *job)
{
	q->ask.job = job;
	if (!job[0])
		cli_wrong(cli, "missing JOB");
	if (strpbrk(job, ", \t"))
		cli_wrong(cli, "\"%s\" is not a job id: write each JOB as a separate argument, "
			  "without blanks or commas", job);
	if (strcmp(job, "-") == 0)
		cli_wrong(cli, "\"-\" in the records means that there is no job");
}

void search_operand(const struct cli *cli, struct search *q, int argc, char **argv)
{
	if (q->host)
		return;
	if (optind == argc)
		cli_wrong(cli, "missing JOB");
	search_job(cli, q, argv[optind++]);
}

struct host_files {
	size_t first, end;
};

/* State of the search. */
struct progress {
	const struct search *q;
	struct report *report;
	struct runs elsewhere;	/* the runs found in earlier portions of hosts */
	struct host_files *host;
	size_t n, cap;
	size_t hosts, files;	/* number of hosts and files searched so far */
	bool shown;
	int64_t next;		/* time at which the progress is shown next, in ns */
};

/* Show the progress, at most ten times per second and not in the first second. */
static void show_progress(struct progress *p)
{
	int64_t t = monotonic_ns();

	if (!p->shown)
		return;
	if (p->next == 0)
		p->next = t + 1000000000;
	if (t < p->next)
		return;
	p->next = t + 100000000;
	fprintf(stderr, "\r%zu hosts, %zu files searched, %s %zu nodes ", p->hosts, p->files,
		p->q->ask.job ? "job on" : "records of", p->report->found.n);
}

static void warn(void *arg, struct str text)
{
	(void)arg;
	log_warning(STR_FMT, STR_ARG(text));
}

static void keep_line(void *arg, struct str text)
{
	buf_add(arg, text);
	buf_add_char(arg, '\n');
}

/* Return the index after the last file of the host that file i belongs to. */
static size_t host_end(const struct search *q, size_t i)
{
	size_t end = i + 1;
	while (end < q->n && strcmp(q->file[end].host, q->file[i].host) == 0)
		end++;
	return end;
}

static void list_hosts(struct progress *p)
{
	const struct search *q = p->q;
	for (size_t i = 0, end; i < q->n; i = end) {
		end = host_end(q, i);
		/*
		 * search the archive's only host even if its name does not match: its files may
		 * have records of other hosts
		 */
		bool only = i == 0 && end == q->n;
		if (q->host && !only && fnmatch(q->host, q->file[i].host, 0) != 0)
			continue;
		p->host = vec_reserve(p->host, &p->cap, p->n + 1, sizeof(*p->host));
		p->host[p->n++] = (struct host_files){ i, end };
	}
}

static void search_read_host(void *arg, size_t i, struct buf *out)
{
	const struct progress *p = arg;
	const struct host_files *h = &p->host[i];
	struct buf said CLEANUP(buf_free) = { 0 };
	const struct read_listener listener = { keep_line, &said };
	struct node_read found;

	node_read(&p->q->ask, &p->elsewhere, p->q->file + h->first, h->end - h->first,
		  &listener, &found);
	read_bytes_put(out, &p->q->ask, &found, buf_str(&said));
	runs_free(&found.runs);
}

static void search_take_host(void *arg, size_t i, struct str bytes)
{
	(void)i;
	struct progress *p = arg;
	struct node_read found;
	struct str said, line;

	read_bytes_take(bytes, &p->q->ask, &found, &said);
	while (str_take_line(&said, &line))
		warn(NULL, line);
	p->hosts++;
	p->files += found.files;
	p->report->unreadable += found.unreadable;
	report_add(p->report, &found.runs);
	show_progress(p);
}

/*
 * Search the hosts in portions, each twice as large as the previous portion. Skip files that are
 * far in time from all runs of the job found in earlier portions. For this decision, ignore runs
 * found in the current portion, so that the result does not depend on the number of processes.
 */
static void search_hosts(struct progress *p)
{
	const struct spread spread = { search_read_host, search_take_host, p };
	unsigned processes = p->q->ask.on_sample ? 1 : spread_cpus();
	size_t portion = p->q->ask.job ? PORTION : p->n;

	p->shown = isatty(STDERR_FILENO);
	for (size_t first = 0, end; first < p->n; first = end, portion *= 2) {
		end = p->n - first < portion ? p->n : first + portion;
		p->elsewhere = p->report->found;
		spread_run(&spread, first, end, processes);
	}
	if (p->shown)
		fputs("\r\033[K", stderr);
	free(p->host);
}

static bool search(struct progress *p)
{
	const struct node_query *ask = &p->q->ask;
	struct report *r = p->report;

	*r = (struct report){ .job = ask->job, .since = ask->since, .until = ask->until,
			      .device = ask->device, .left_out = buf_str(&p->q->answer.left_out) };
	list_hosts(p);
	search_hosts(p);
	runs_choose(r);
	procs_sort(&r->procs);
	return r->n > 0;
}

static bool search_is_listed(const struct search *q, const char *host)
{
	bool listed = false;
	for (size_t i = 0; i < q->n && !listed; i++)
		listed = strcmp(q->file[i].host, host) == 0;
	return listed;
}

/* Suggest what to do if the archive has no records of the job or host. */
static void say_remedy(const struct search *q)
{
	const char *job = q->ask.job;
	struct buf like CLEANUP(buf_free) = { 0 };

	like_put(&like, &q->like);
	if (q->n == 0)
		log_error("no host has records there; select another archive with --dir");
	else if (job && sacct_is_task(job))
		log_error("%s may be a task of a Slurm array, which has another id in the records: "
			  "\"sacct -j %s -o JobIDRaw\" prints it, \"nodometer report --sacct FILE "
			  "%s\" reads it", job, job, job);
	else if (like.n)
		log_error("did you mean " STR_FMT "?", STR_ARG(buf_str(&like)));
	else if (job && strcmp(q->dir, DIR_DEFAULT) == 0)
		log_error("\"nodometer jobs\" lists the jobs %s", q->answer.used ?
			  "that you may see" : "there");
	else if (job)
		log_error("\"nodometer jobs --dir %s\" lists the jobs there", q->dir);
	else if (search_is_listed(q, q->host))
		log_error("this host has records, but none in this period");
	else
		log_error("hosts there: %s%s", q->file[0].host,
			  strcmp(q->file[0].host, q->file[q->n - 1].host) == 0 ? "" :
			  " and others; --host \"*\" reports all");
}

static void say_none(const struct search *q, const struct progress *p)
{
	const char *job = q->ask.job;

	if (q->from.url) {
		log_error("no records of %s %s at %s", job ? "job" : "host", job ? job : q->host,
			  q->from.url);
		return;
	}
	if (q->answer.used)
		log_error("no records of job %s below %s that you may see: those of your own jobs, "
			  "or of all if your group may read them", job, q->dir);
	else
		log_error("no records of %s %s below %s (files searched: %zu, hosts: %zu)",
			  job ? "job" : "host", job ? job : q->host, q->dir, p->files, p->hosts);
	say_remedy(q);
}

/*
 * Check that a name without wildcards selected only one host: a file may have records of several
 * hosts with the same short name.
 */
static bool is_one_host(const struct search *q, const struct report *r)
{
	bool one = !q->host || r->n < 2 || strpbrk(q->host, "*?[");
	if (!one)
		log_error("host %s may be %s or %s: use the full name", q->host, r->node[0].name,
			  r->node[1].name);
	return one;
}

/*
 * List the files. If nodometer-answer has no records of the job, list all runs without their data,
 * to suggest similar ids.
 */
static int search_list_files(struct search *q, struct buf *why)
{
	struct answer_request ask = { true, q->ask.since, q->ask.until,
				      q->ask.job ? str_of(q->ask.job) : STR("") };
	if (q->from.url || !q->ask.job)
		return archive_from(&q->from, q->dir, &ask, q->host, &q->file, &q->n,
				    &q->answer.left_out, why);
	int r = answer_files_list(q->dir, &ask, &q->file, &q->n, &q->answer, why);
	if (r < 0 || !q->answer.used || q->n > 0)
		return r;
	/* list runs of all times, to see whether the job exists at another time */
	if (ask.since != INT64_MIN || ask.until != INT64_MAX) {
		ask.since = INT64_MIN;
		ask.until = INT64_MAX;
		r = answer_files_list(q->dir, &ask, &q->file, &q->n, &q->answer, why);
		if (r < 0 || q->n > 0)
			return r;
	}
	ask.rows = false;
	ask.job.n = 0;
	return answer_files_list(q->dir, &ask, &q->file, &q->n, &q->answer, why);
}

/*
 * Search again for an array task such as 15_1, under the job id that sacct(1) reports for the task.
 * Returns whether records were found.
 */
static bool search_by_accounting(struct search *q, struct report *r)
{
	const char *task = q->ask.job;
	const struct sacct_job *j;

	if (!task || q->by_accounting || (!q->accounting.n && !sacct_ask(&q->accounting, task)))
		return false;
	q->by_accounting = true;
	j = &q->accounting.job[q->accounting.n - 1];
	report_free(r);
	archive_list_free(q->file, q->n);
	q->file = NULL;
	q->n = 0;
	answer_use_free(&q->answer);
	q->answer = (struct answer_use){ false };
	q->ask.job = j->raw;
	bool found = search_all(q, r);
	if (found)
		sacct_add(r, j);
	else
		log_error("job %s is %s in Slurm's accounting", task, j->raw);
	return found;
}

/*
 * If --host was given without a name and the archive has only one host, report on that host, even
 * if its name is not that of this machine.
 */
static void search_take_own_host(struct search *q)
{
	if (q->this_host && q->n > 0 && strcmp(q->file[0].host, q->file[q->n - 1].host) == 0)
		q->host = q->file[0].host;
}

/* List the files of the archive. Returns false, after logging why, if it cannot be read. */
static bool search_has_files(struct search *q)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	int e = search_list_files(q, &why);

	if (e < 0)
		log_error(STR_FMT, STR_ARG(buf_str(&why)));
	else if (why.n)
		log_warning("left out: " STR_FMT, STR_ARG(buf_str(&why)));
	if (e == -EACCES && !q->ask.job)
		log_error("\"nodometer jobs\" lists your own jobs, \"nodometer report JOB\" "
			  "reports one");
	return e >= 0;
}

bool search_all(struct search *q, struct report *r)
{
	struct progress p = { .q = q, .report = r };
	const char *job = q->ask.job;

	if (!search_has_files(q))
		return false;
	archive_join_renamed(q->file, q->n, &q->host);
	search_take_own_host(q);
	if (q->host && archive_find_host(q->file, q->n, &q->host, &log_listener) < 0)
		return false;
	q->ask.node = q->host;
	if (search(&p))
		return is_one_host(q, r);
	if (r->found.n > 0) {
		log_error("job %s did not run at that time, but at other times", job);
		return false;
	}
	if (search_by_accounting(q, r))
		return true;
	if (q->ask.job != job)
		return false;	/* search_by_accounting() has reported the reason */
	if (job && !q->from.url)
		like_find(&q->like, job, q->file, q->n);
	if (!q->takes_tasks || !q->like.tasks)
		say_none(q, &p);
	return false;
}

void search_leave_root(struct search *q, bool one_job)
{
	if (!archive_is_here(&q->from, q->dir))
		return;
	if (geteuid() == 0 && q->ask.job && one_job)
		(void)sacct_ask(&q->accounting, q->ask.job);
	foreign_leave_root(&log_listener);
}

void search_node(const struct search *q, const struct node *node, struct figures table,
		 void (*on_sample)(void *arg, const struct job_sample *t), void *arg)
{
	const struct read_listener listener = { warn, NULL };
	struct node_query ask = q->ask;
	struct node_read found;
	/* false: the node's records are only in files of hosts with other names */
	bool listed = search_is_listed(q, node->name);

	ask.table = table;
	ask.on_sample = on_sample;
	ask.arg = arg;
	ask.taken_from = node->start;
	ask.taken_to = node->end;
	ask.node = node->name;
	for (size_t i = 0, next; i < q->n; i = next) {
		size_t end = next = host_end(q, i);
		if (listed && strcmp(q->file[i].host, node->name) != 0)
			continue;
		while (i + 1 < end && q->file[i + 1].epoch <= node->wall_start / 1000000)
			i++;
		while (end > i + 1 && q->file[end - 1].epoch > node->wall_end / 1000000)
			end--;
		node_read(&ask, NULL, q->file + i, end - i, &listener, &found);
		runs_free(&found.runs);
	}
}

void search_free(struct search *q)
{
	archive_list_free(q->file, q->n);
	like_free(&q->like);
	answer_use_free(&q->answer);
	sacct_free(&q->accounting);
	q->accounting = (struct sacct){ 0 };
	q->by_accounting = false;
	q->answer = (struct answer_use){ false };
	q->file = NULL;
	q->n = 0;
}
