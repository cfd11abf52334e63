/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.c - nodometer jobs: the jobs of an archive, from the indexes of its files where it can */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/input.h"
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "report/advice.h"
#include "report/index_text.h"
#include "report/list_used.h"
#include "report/print_jobs.h"
#include "report/search.h"
#include "report/spread.h"

enum { DIR_, USER, HOST, SINCE, UNTIL, SORT, USED, WORST, SACCT, JSON, CSV, EXACT };
static const struct cli_option options[] = {
	[DIR_]  = { "dir",   "DIR",  "archive, or one file of it (" DIR_DEFAULT ")" },
	[USER]  = { "user",  "USER", "only jobs of USER" },
	[HOST]  = { "host",  "HOST", "only what was on HOST; \"*\" and \"?\" match" },
	[SINCE] = { "since", "TIME", "only jobs that were there at TIME or later" },
	[UNTIL] = { "until", "TIME", "only jobs that were there at TIME or before" },
	[SORT]  = { "sort",  "start|length|nodes|user|job|unused", "the order (default: start)" },
	[USED]  = { "used",  NULL,   "with what each used, and findings: reads their records" },
	[WORST] = { "worst", "N",    "only the N that left most unused, with what they used" },
	[SACCT] = { "sacct", "FILE", "of sacct --parsable2: ids of arrays, names, states" },
	[JSON]  = { "json",  NULL,
		    "print an object per line: share/nodometer/schemas/jobs-1.json" },
	[CSV]   = { "csv",   NULL,   "print lines job,user,nodes,start,length,begun,ended..." },
	[EXACT] = { "exact", NULL,   "CSV: what a spreadsheet takes for a formula, as it is" },
};
static const struct cli cli = {
	.command = "jobs", .operands = "", CLI_OPTIONS(options),
	.about = "Lists the jobs of an archive.\n"
		 "TIME is epoch seconds or local \"YYYY-MM-DD HH:MM[:SS]\".",
};

static int by_start(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int r = (x->first > y->first) - (x->first < y->first);
	return r ? r : strcmp(x->id, y->id);
}

static int by_length(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int64_t p = x->last - x->first, q = y->last - y->first;
	return p != q ? (p < q) - (p > q) : by_start(a, b);
}

static int by_nodes(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	return x->nodes != y->nodes ? (x->nodes < y->nodes) - (x->nodes > y->nodes) :
				      by_start(a, b);
}

static int by_user(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int r = strcmp(x->user ? x->user : "", y->user ? y->user : "");
	return r ? r : by_start(a, b);
}

static int by_job(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int r = strcmp(x->id, y->id);
	return r ? r : by_start(a, b);
}

static int by_unused(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	double p = x->used.unused, q = y->used.unused;
	return p != q ? (p < q) - (p > q) : by_start(a, b);
}

enum { BY_START, BY_UNUSED = 5 };
static const struct order {
	const char *name;
	int (*compare)(const void *a, const void *b);
} orders[] = {
	[BY_START] = { "start", by_start },	/* the oldest first */
	{ "length", by_length },
	{ "nodes",  by_nodes  },
	{ "user",   by_user   },
	{ "job",    by_job    },
	[BY_UNUSED] = { "unused", by_unused },	/* of which it is not known, last */
};

struct listing {
	const char *dir, *user, *host;
	int64_t since, until;
	const struct order *order;
	uint64_t most;		/* jobs that are printed */
	struct jobs_table table;
	const char *accounting;	/* path, NULL: none */
	struct sacct sacct;
	struct finding_site *site;
	struct archive_file *file;
	size_t n;
	struct job_list list;
	size_t hosts;		/* begun so far */
	bool failed;
};

static bool is_passed_over(const struct listing *a, size_t i)
{
	return (a->host && fnmatch(a->host, a->file[i].host, 0) != 0) ||
	       !archive_may_hold(a->file, a->n, i, a->since, a->until);
}

static void read_file(void *arg, size_t i, struct buf *out)
{
	const struct listing *a = arg;
	if (!is_passed_over(a, i))
		index_text_put(a->file[i].path, out);
}

/* When the records of the index end, microseconds; without any, when its file begins. */
static int64_t end_of_records(struct str index, const struct archive_file *f)
{
	struct str line;
	uint64_t n, first, last;
	if (str_take_line(&index, &line) && str_take_prefix(&line, STR("records ")) &&
	    str_take_u64(&line, &n) && n > 0 && str_take_u64(&line, &first) &&
	    str_take_u64(&line, &last) && last <= INT64_MAX)
		return (int64_t)last;
	return f->epoch > INT64_MIN / 1000000 ? f->epoch * 1000000 : INT64_MIN;
}

/* Records may be missing from where the index ends to the host's next file. */
static void take_wrong(struct listing *a, size_t i, struct str why, struct str index)
{
	const struct archive_file *f = &a->file[i];
	bool last = i + 1 == a->n || strcmp(f[1].host, f->host) != 0;
	const struct unread_file unread = {
		.host = a->hosts,
		.from = end_of_records(index, f),
		.to = last ? INT64_MAX : f[1].epoch * 1000000,
	};

	log_warning("%s: " STR_FMT, f->path, STR_ARG(why));
	a->failed = true;
	job_list_add_unread(&a->list, &unread);
}

/* Indexes of archives of tacc_stats have its "0", which means that there is no job. */
static bool is_idle(const struct index_job *j)
{
	return str_eq(j->id, STR("0")) && !j->begun && !j->ended;
}

static void take_file(void *arg, size_t i, struct str text)
{
	struct listing *a = arg;
	struct index_job j;
	struct str line, rest = text;
	bool whole = true;

	if (i == 0 || strcmp(a->file[i].host, a->file[i - 1].host) != 0)
		a->hosts++;
	if (str_take_line(&rest, &line) && str_take_prefix(&line, STR("wrong "))) {
		take_wrong(a, i, line, rest);
		whole = false;
	}
	while (index_next_job(&text, &j))
		if (j.last >= a->since && j.first <= a->until && !is_idle(&j))
			job_list_add(&a->list, a->hosts, i, whole, &j);
}

static bool is_listed(const void *list, struct str raw, struct str shown)
{
	(void)shown;
	return job_list_has(list, raw);
}

static bool read_accounting(struct listing *a)
{
	a->sacct = (struct sacct){ .wants = is_listed, .arg = &a->list };
	return !a->accounting || sacct_read(&a->sacct, a->accounting) == 0;
}

/* Takes users from accounting, for jobs whose marks name none. */
static void name_users(struct listing *a)
{
	for (size_t i = 0; i < a->list.n; i++) {
		struct listed_job *j = &a->list.job[i];
		const struct sacct_job *s = sacct_find(&a->sacct, j->id);
		if (s && s->user[0] && !j->user)
			j->user = xstrdup(str_of(s->user));
	}
}

static bool is_wanted(const struct listing *a, const struct listed_job *j)
{
	return !a->user || (j->user && strcmp(j->user, a->user) == 0);
}

/* Only those of the user stay. */
static void keep_wanted(struct listing *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->list.n; i++) {
		struct listed_job *j = &a->list.job[i];
		if (is_wanted(a, j))
			a->list.job[kept++] = *j;
		else
			listed_job_free(j);
	}
	a->list.n = kept;
}

static int print(const struct listing *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	jobs_put_head(&b, &a->table);
	for (size_t i = 0; i < a->list.n && i < a->most; i++)
		jobs_put(&b, &a->table, &a->list.job[i],
			 sacct_find(&a->sacct, a->list.job[i].id));
	int e = files_print(STDOUT_FILENO, &b);
	if (e < 0 && e != -EPIPE)
		log_error("standard output: %s", strerror(-e));
	return e < 0 && e != -EPIPE ? CLI_FAILED : a->failed ? CLI_FAILED : CLI_OK;
}

static const struct order *take_order(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		if (strcmp(orders[i].name, name) == 0)
			return &orders[i];
	cli_wrong(&cli, "--sort: \"%s\" is not start, length, nodes, user, job or unused",
		  name);
}

static void take_worst(struct listing *a, const char *text)
{
	struct str rest = str_of(text);
	if (!str_take_u64(&rest, &a->most) || rest.n || a->most == 0)
		cli_wrong(&cli, "--worst: \"%s\" is not a number of jobs", text);
	a->order = &orders[BY_UNUSED];
}

static void take_option(struct listing *a, int option, const char *arg)
{
	switch (option) {
	case DIR_:  a->dir = arg; break;
	case USER:  a->user = arg; break;
	case HOST:  a->host = arg; break;
	case SINCE: a->since = cli_time(&cli, arg); break;
	case UNTIL: a->until = cli_time(&cli, arg); break;
	case SORT:  a->order = take_order(arg); break;
	case WORST: take_worst(a, arg); break;
	case USED:  a->table.with_used = true; break;
	case SACCT:
		a->table.with_sacct = true;
		a->accounting = arg;
		break;
	case JSON:  a->table.form = JOBS_JSON; break;
	case CSV:   a->table.form = JOBS_CSV; break;
	case EXACT: a->table.exact = true; break;
	}
}

/* The jobs of the archive; false, and said why. */
static bool list(struct listing *a)
{
	const struct spread spread = { read_file, take_file, a };
	struct buf why CLEANUP(buf_free) = { 0 };
	int e = archive_list(a->dir, &a->file, &a->n, &why);

	if (e < 0) {
		log_error(STR_FMT, STR_ARG(buf_str(&why)));
		return false;
	}
	if (a->host && archive_find_host(a->file, a->n, &a->host, &log_listener) < 0)
		return false;
	if (a->n)
		spread_run(&spread, 0, a->n, spread_cpus());
	job_list_end(&a->list, a->file);
	if (!read_accounting(a))
		return false;
	name_users(a);
	keep_wanted(a);
	const struct list_used used = { a->file, a->host, &a->sacct, a->site };
	if (a->table.with_used)
		list_used(&a->list, &used);
	if (a->list.n)
		qsort(a->list.job, a->list.n, sizeof(*a->list.job), a->order->compare);
	return true;
}

int main(int argc, char **argv)
{
	struct listing a = { .dir = DIR_DEFAULT, .since = INT64_MIN, .until = INT64_MAX,
			     .order = &orders[BY_START], .most = UINT64_MAX };
	const char *arg;

	log_open("nodometer jobs", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		take_option(&a, o, arg);
	if (optind < argc)
		cli_wrong(&cli, "%s: no operand is wanted", argv[optind]);
	a.table.with_used |= a.order == &orders[BY_UNUSED];
	a.site = calloc(n_finding_rules, sizeof(*a.site));
	bool ready = !a.table.with_used || advice_read(NULL, a.site);
	int status = ready && list(&a) ? print(&a) : CLI_FAILED;
	job_list_free(&a.list);
	sacct_free(&a.sacct);
	archive_list_free(a.file, a.n);
	free(a.site);
	return status;
}
