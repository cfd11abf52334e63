/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.c - nodometer jobs: list the jobs of an archive, from its indexes if it has any */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/remote.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "report/advice.h"
#include "report/jobs/format.h"
#include "report/jobs/groups.h"
#include "report/jobs/listing.h"
#include "report/jobs/mail.h"
#include "report/jobs/print_jobs.h"
#include "report/search.h"

enum {
	DIR_, USER, HOST, SINCE, UNTIL, SORT, USED, WORST, BY, FIGURES, SACCT, JSON, CSV, EXACT,
	HTML, MAIL, KEEP, APPEND, ADVICE, FROM, LOGIN, FORMAT,
};
static const struct cli_option options[] = {
	[DIR_]  = { "dir",   "DIR",  "archive or its URL, or one file (" DIR_DEFAULT ")" },
	[USER]  = { "user",  "USER", "only jobs of USER" },
	[HOST]  = { "host",  "HOST", "only jobs on HOST; \"*\" and \"?\" match" },
	[SINCE] = { "since", "TIME", "only jobs that ran at or after TIME" },
	[UNTIL] = { "until", "TIME", "only jobs that ran at or before TIME" },
	[SORT]  = { "sort",  "start|length|nodes|user|job|unused",
		    "the order (default: start), or by a figure, the largest first, or by TimeEff, "
		    "CPUEff, MemEff, GPUEff, the smallest first" },
	[USED]  = { "used",  NULL,   "add what each job used, and findings (reads its records)" },
	[WORST] = { "worst", "N",    "only the N jobs that wasted most (unused node hours); "
		    "implies --used" },
	[BY]    = { "by",    "user|account|partition|name|node|program",
		    "print one row of sums per user, ..., not per job" },
	[FIGURES] = { "figures", "NAME[,NAME...]",
		      "add these figures, named as in report --json, or \"all\"" },
	[FORMAT] = { "format", "NAME[,NAME...]", "table with these columns (" FORMAT_DEFAULT "); "
		     "\"+NAME\" adds to them", '\0', true },
	[SACCT] = { "sacct", "FILE", "output of sacct --parsable2: array ids, names, states" },
	[JSON]  = { "json",  NULL,
		    "print an object per line: share/nodometer/schemas/jobs-1.json, or --by: "
		    "job-groups-1.json" },
	[CSV]   = { "csv",   NULL,   "print lines job,user,nodes,start..." },
	[EXACT] = { "exact", NULL,
			"CSV: do not protect text that a spreadsheet takes for a formula" },
	[HTML]  = { "html",  NULL,   "print the table as an HTML page" },
	[MAIL]  = { "mail",  "TO",   "print a mail to TO with text and HTML, for sendmail -t" },
	[APPEND] = { "append", "FILE", "append a line of JSON for each run computed now" },
	[ADVICE] = { "advice", "FILE", "thresholds and cost of energy (default "
		     SYSCONFDIR "/nodometer/advice.conf)" },
	[KEEP]  = { "keep",  NULL,   "store the figures of each run for later calls; print "
		    "nothing" },
	[FROM]  = FROM_ROW,
	[LOGIN] = LOGIN_ROW,
};
static const struct cli cli = {
	.command = "jobs", .operands = "", CLI_OPTIONS(options),
	.about = "Lists the jobs of an archive, with their states; --worst N has those that "
		 "wasted most.\nUNUSED is in node hours; nodometer-findings(7) explains words such "
		 "as asleep.\n"
		 CLI_TIME,
	.instead = "\"nodometer report JOB\" reports one job, --user USER lists a user's jobs",
};

static int jobs_by_start(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int r = (x->first > y->first) - (x->first < y->first);
	return r ? r : strcmp(x->id, y->id);
}

static int by_length(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int64_t p = x->last - x->first, q = y->last - y->first;
	return p != q ? (p < q) - (p > q) : jobs_by_start(a, b);
}

static int by_nodes(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	return x->nodes != y->nodes ? (x->nodes < y->nodes) - (x->nodes > y->nodes) :
				      jobs_by_start(a, b);
}

static int by_user(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int r = strcmp(x->user ? x->user : "", y->user ? y->user : "");
	return r ? r : jobs_by_start(a, b);
}

static int by_job(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	int r = strcmp(x->id, y->id);
	return r ? r : jobs_by_start(a, b);
}

static int by_figure(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	return x->order != y->order ? (x->order < y->order) - (x->order > y->order) :
				      jobs_by_start(a, b);
}

enum {
	BY_START, BY_LENGTH, BY_NODES, BY_USER, BY_JOB, BY_UNUSED, BY_FIGURE, BY_EFFICIENCY,
};
static const struct order {
	/* argument of --sort; NULL if the order is by a figure or an efficiency */
	const char *name;
	int (*compare)(const void *a, const void *b);
	enum group_order groups;
} orders[] = {
	[BY_START]  = { "start",  jobs_by_start, ORDER_UNUSED },	/* oldest job first */
	[BY_LENGTH] = { "length", by_length, ORDER_HOURS  },
	[BY_NODES]  = { "nodes",  by_nodes,  ORDER_HOURS  },
	[BY_USER]   = { "user",   by_user,   ORDER_NAME   },
	[BY_JOB]    = { "job",    by_job,    ORDER_NAME   },
	/* jobs with an unknown value come last */
	[BY_UNUSED] = { "unused", by_figure, ORDER_UNUSED },
	/* jobs with an unknown value come last */
	[BY_FIGURE] = { NULL,     by_figure, ORDER_FIGURE },
	/* smallest efficiency first; jobs with an unknown value come last */
	[BY_EFFICIENCY] = { NULL, by_figure, ORDER_UNUSED },
};

struct request {
	struct listing of;
	const struct order *order;
	size_t figure;		/* index in .table.figure of the figure to sort by */
	enum used_what efficiency;	/* resource of the efficiency to sort by */
	struct format format;	/* columns of --format; empty for the usual table */
	bool figures_named;	/* the user gave --figures */
	uint64_t most;		/* largest number of jobs to print */
	const char *mail;	/* recipient of the table by e-mail, or NULL */
	bool html;
	struct groups groups;
	struct jobs_table table;
	struct advice advice;
	const char *advised;	/* path of the advice file; NULL: the default file */
};

/*
 * Compute the sort key for an efficiency: the lower the efficiency, the larger the key; an unknown
 * efficiency has the smallest key.
 */
static double efficiency_order(const struct used *u)
{
	return u->of > 0 ? -used_percent(u) : -INFINITY;
}

static double jobs_rank(void *request, const struct run_row *row)
{
	const struct request *a = request;
	struct run_value v;

	if (a->order == &orders[BY_UNUSED])
		return row->used.unused;
	if (a->order == &orders[BY_EFFICIENCY])
		return efficiency_order(&row->used.used[a->efficiency]);
	return run_row_value(row, a->table.figure[a->figure], &v) ? v.n : -INFINITY;
}

static void sort_jobs(struct request *a)
{
	if (a->of.list.n)
		qsort(a->of.list.job, a->of.list.n, sizeof(*a->of.list.job), a->order->compare);
}

static void group_jobs(struct request *a)
{
	for (size_t i = 0; i < a->of.list.n; i++) {
		const struct listed_job *j = listing_job(&a->of, i);
		groups_add(&a->groups, &a->table, j, sacct_find(&a->of.sacct, j->id));
	}
	groups_sort(&a->groups, a->order->groups, a->figure);
}

static size_t jobs_most(const struct request *a)
{
	return a->most < SIZE_MAX ? (size_t)a->most : SIZE_MAX;
}

static void put_table(struct request *a, struct buf *b)
{
	if (a->format.n) {
		format_put(b, &a->format, &a->of, jobs_most(a), cli_has_colour());
		return;
	}
	if (a->groups.by != GROUP_NONE) {
		groups_put_head(b, &a->table, &a->groups);
		for (size_t i = 0; i < a->groups.n && i < a->most; i++)
			groups_put(b, &a->table, &a->groups, &a->groups.group[i]);
		return;
	}
	jobs_put_head(b, &a->table);
	for (size_t i = 0; i < a->of.list.n && i < a->most; i++) {
		const struct listed_job *j = listing_job(&a->of, i);
		jobs_put(b, &a->table, j, sacct_find(&a->of.sacct, j->id));
	}
}

/* Write the title, such as "Jobs from 2026-11-18 00:00:00 on: the 10 with most unused hours". */
static void jobs_put_title(const struct request *a, struct buf *b)
{
	bool grouped = a->groups.by != GROUP_NONE;
	bool worst = grouped ? a->order->groups == ORDER_UNUSED : a->order == &orders[BY_UNUSED];

	buf_addf(b, "Jobs%s%s", grouped ? " by " : "", grouped ? group_names[a->groups.by] : "");
	if (a->of.since != INT64_MIN)
		buf_addf(b, " from %s on", cli_moment(a->of.since).s);
	if (a->of.until != INT64_MAX)
		buf_addf(b, " up to %s", cli_moment(a->of.until).s);
	if (a->most < UINT64_MAX)
		buf_addf(b, ": the %llu %s", (unsigned long long)a->most,
			 worst ? "with most unused hours" : "first");
	buf_add_char(b, '\0');
}

static int jobs_print(struct request *a)
{
	struct buf b CLEANUP(buf_free) = { 0 }, out CLEANUP(buf_free) = { 0 };
	struct buf title CLEANUP(buf_free) = { 0 };

	jobs_put_title(a, &title);
	const struct jobs_page page = { title.p, &a->table, &a->of, &a->groups, jobs_most(a) };
	if (a->html)
		jobs_put_html(&out, &page);
	else if (!a->of.keep)
		put_table(a, &b);
	if (a->mail)
		jobs_put_mail(&out, &page, a->mail, buf_str(&b), realtime_us() / 1000000);
	/*
	 * cli_print() would remove the colours; cli_publish() keeps them, and is safe because
	 * format_put() has made all names printable
	 */
	int status = a->format.n && cli_has_colour() ? cli_publish(NULL, buf_str(&b)) :
		     cli_print(a->html || a->mail ? &out : &b);
	return a->of.failed ? CLI_FAILED : status;
}

/* Add a figure to the table unless it is there. Returns its index in the table. */
static size_t jobs_add_figure(struct jobs_table *t, size_t figure)
{
	t->with_used = true;
	for (size_t i = 0; i < t->n_figures; i++)
		if (t->figure[i] == figure)
			return i;
	t->figure = xrealloc(t->figure, (t->n_figures + 1) * sizeof(*t->figure));
	t->figure[t->n_figures] = figure;
	return t->n_figures++;
}

static void take_figures(struct request *a, const char *text)
{
	struct str rest = str_of(text), name;

	for (size_t i = 0; strcmp(text, "all") == 0 && i < run_figures(); i++)
		if (i >= n_figures || figure_is_shown(&figures[i]))
			jobs_add_figure(&a->table, i);
	while (strcmp(text, "all") != 0 && str_take_item(&rest, &name)) {
		size_t i = run_figure_find(name);
		if (i == run_figures())
			cli_wrong(&cli, "--figures: \"" STR_FMT "\" is unknown; nodometer report "
				  "--json JOB lists the names", STR_ARG(name));
		jobs_add_figure(&a->table, i);
	}
}

static void take_order(struct request *a, const char *name)
{
	for (size_t i = 0; i < BY_FIGURE; i++)
		if (strcmp(orders[i].name, name) == 0) {
			a->order = &orders[i];
			return;
		}
	if (format_find_efficiency(name, &a->efficiency)) {
		a->order = &orders[BY_EFFICIENCY];
		a->table.with_used = true;
		return;
	}
	size_t figure = run_figure_find(str_of(name));
	if (figure == run_figures())
		cli_wrong(&cli, "--sort: unknown column \"%s\"; use start, length, nodes, user, "
			  "job, unused, a column such as CPUEff, or a figure (nodometer report "
			  "--json JOB lists the names)", name);
	a->order = &orders[BY_FIGURE];
	a->figure = jobs_add_figure(&a->table, figure);
}

static void take_by(struct request *a, const char *name)
{
	for (size_t i = GROUP_NONE + 1; i < GROUP_BYS; i++)
		if (strcmp(group_names[i], name) == 0)
			a->groups.by = (enum group_by)i;
	if (a->groups.by == GROUP_NONE)
		cli_wrong(&cli, "--by: unknown group \"%s\"; use user, account, partition, name, "
			  "node or program", name);
}

static void take_format(struct request *a, const char *names)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	if (!format_take(&a->format, names, &why))
		cli_wrong(&cli, "--format: " STR_FMT, STR_ARG(buf_str(&why)));
	a->table.with_used |= a->format.with_used;
}

static void take_mail(struct request *a, const char *to)
{
	if (!mail_takes_address(str_of(to)))
		cli_wrong(&cli, "--mail: \"%s\" is not a mail address", to);
	a->mail = to;
}

static void take_worst(struct request *a, const char *text)
{
	struct str rest = str_of(text);
	if (!str_take_u64(&rest, &a->most) || rest.n || a->most == 0)
		cli_wrong(&cli, "--worst: \"%s\" is not a number of jobs", text);
	if (a->order == &orders[BY_START])
		a->order = &orders[BY_UNUSED];
}

static void take_option(struct request *a, int option, const char *arg)
{
	switch (option) {
	case DIR_:  a->of.dir = arg; break;
	case USER:  a->of.user = arg; break;
	case HOST:  a->of.host = arg; break;
	case SINCE: a->of.since = cli_time(&cli, arg); break;
	case UNTIL: a->of.until = cli_time(&cli, arg); break;
	case SORT:  take_order(a, arg); break;
	case WORST: take_worst(a, arg); break;
	case USED:  a->table.with_used = true; break;
	case SACCT:
		a->table.with_sacct = true;
		a->of.accounting = arg;
		break;
	case JSON:  a->table.form = JOBS_JSON; break;
	case CSV:   a->table.form = JOBS_CSV; break;
	case EXACT: a->table.exact = true; break;
	case BY:    take_by(a, arg); break;
	case FIGURES:
		take_figures(a, arg);
		a->figures_named = true;
		break;
	case FORMAT: take_format(a, arg); break;
	case HTML:  a->html = true; break;
	case MAIL:  take_mail(a, arg); break;
	case KEEP:  a->of.keep = true; break;
	case APPEND: a->of.append = arg; break;
	case ADVICE: a->advised = arg; break;
	case FROM:  a->of.from.url = arg; break;
	case LOGIN: a->of.from.login = arg; break;
	}
}

/* Exit with a message if --format is used with an option that excludes a table of jobs. */
static void check_format(const struct request *a)
{
	bool other = a->html || a->mail || a->groups.by != GROUP_NONE || a->figures_named ||
		     a->table.form != JOBS_TEXT;
	if (a->format.n && other)
		cli_wrong(&cli, "--format cannot be used with --by, --csv, --figures, --html, "
			  "--json or --mail");
}

/* Exit with a message if two options exclude each other. */
static void check_together(const struct request *a)
{
	if ((a->of.host || a->of.from.url) && (a->of.keep || a->of.append))
		cli_wrong(&cli, "--keep and --append store whole runs: they cannot be used with "
			  "--host or --from");
	if (a->of.keep && remote_is(a->of.dir))
		cli_wrong(&cli, "--keep needs a local folder, because it stores its rows beside "
			  "the files");
	if ((a->html && a->mail) || ((a->html || a->mail) && a->table.form != JOBS_TEXT))
		cli_wrong(&cli, "--html and --mail cannot be used with --json, with --csv or "
			  "together");
}

/* List the jobs of the archive. Returns false, after logging why, if it cannot be read. */
static bool list(struct request *a)
{
	a->of.used = a->table.with_used;
	a->of.rank = a->order->compare == by_figure ? jobs_rank : NULL;
	a->of.arg = a;
	if (!listing_read(&a->of))
		return false;
	if (a->groups.by != GROUP_NONE)
		group_jobs(a);
	else
		sort_jobs(a);
	return true;
}

int main(int argc, char **argv)
{
	struct request a = { .of = LISTING_ALL, .order = &orders[BY_START],
			     .most = UINT64_MAX };
	const char *arg;

	log_open("nodometer jobs", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		take_option(&a, o, arg);
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		exit(CLI_WRONG);
	cli_check_times(&cli, a.of.since, a.of.until);
	check_together(&a);
	check_format(&a);
	a.table.with_used |= a.order == &orders[BY_UNUSED] || a.groups.by != GROUP_NONE ||
			     a.html || a.mail || a.of.keep || a.of.append;
	advice_begin(&a.advice);
	a.of.advice = &a.advice;
	a.table.factors = &a.advice.factors;
	bool ready = !a.table.with_used || advice_read(a.advised, &a.advice);
	int status = ready && list(&a) ? jobs_print(&a) : CLI_FAILED;
	groups_free(&a.groups);
	listing_free(&a.of);
	free(a.table.figure);
	advice_end(&a.advice);
	return status;
}
