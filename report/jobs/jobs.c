/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.c - nodometer jobs: the jobs of an archive, from the indexes of its files where it can */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "report/advice.h"
#include "report/index_text.h"
#include "report/jobs/groups.h"
#include "report/jobs/kept.h"
#include "report/jobs/list_used.h"
#include "report/jobs/mail.h"
#include "report/jobs/print_jobs.h"
#include "report/search.h"
#include "report/spread.h"

enum {
	DIR_, USER, HOST, SINCE, UNTIL, SORT, USED, WORST, BY, FIGURES, SACCT, JSON, CSV, EXACT,
	HTML, MAIL, KEEP, APPEND, ADVICE,
};
static const struct cli_option options[] = {
	[DIR_]  = { "dir",   "DIR",  "archive, or one file of it (" DIR_DEFAULT ")" },
	[USER]  = { "user",  "USER", "only jobs of USER" },
	[HOST]  = { "host",  "HOST", "only what was on HOST; \"*\" and \"?\" match" },
	[SINCE] = { "since", "TIME", "only jobs that were there at TIME or later" },
	[UNTIL] = { "until", "TIME", "only jobs that were there at TIME or before" },
	[SORT]  = { "sort",  "start|length|nodes|user|job|unused",
		    "the order (default: start), or by a figure, the largest first" },
	[USED]  = { "used",  NULL,   "with what each used, and findings: reads their records" },
	[WORST] = { "worst", "N",    "only the N that left most unused, with what they used" },
	[BY]    = { "by",    "user|account|partition|name|node|program",
		    "print a row of sums for each of these, not for each job" },
	[FIGURES] = { "figures", "NAME[,NAME...]",
		      "with these figures, called as in --json of a report; or \"all\"" },
	[SACCT] = { "sacct", "FILE", "of sacct --parsable2: ids of arrays, names, states" },
	[JSON]  = { "json",  NULL,
		    "print an object per line: share/nodometer/schemas/jobs-1.json, or --by: "
		    "job-groups-1.json" },
	[CSV]   = { "csv",   NULL,   "print lines job,user,nodes,start..." },
	[EXACT] = { "exact", NULL,   "CSV: what a spreadsheet takes for a formula, as it is" },
	[HTML]  = { "html",  NULL,   "print the table as a page" },
	[MAIL]  = { "mail",  "TO",   "print a message to TO, as text and page, for sendmail -t" },
	[APPEND] = { "append", "FILE", "append a line of JSON for each run that is computed now" },
	[ADVICE] = { "advice", "FILE", "a site's thresholds, and costs of energy; usually "
		     SYSCONFDIR "/nodometer/advice.conf" },
	[KEEP]  = { "keep",  NULL,   "print nothing; compute and keep the rows that runs lack" },
};
static const struct cli cli = {
	.command = "jobs", .operands = "", CLI_OPTIONS(options),
	.about = "Lists the jobs of an archive.\n" CLI_TIME,
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

static int by_figure(const void *a, const void *b)
{
	const struct listed_job *x = a, *y = b;
	return x->order != y->order ? (x->order < y->order) - (x->order > y->order) :
				      by_start(a, b);
}

enum { BY_START, BY_LENGTH, BY_NODES, BY_USER, BY_JOB, BY_UNUSED, BY_FIGURE };
static const struct order {
	const char *name;	/* NULL: of the figure */
	int (*compare)(const void *a, const void *b);
	enum group_order groups;
} orders[] = {
	[BY_START]  = { "start",  by_start,  ORDER_UNUSED },	/* the oldest first */
	[BY_LENGTH] = { "length", by_length, ORDER_HOURS  },
	[BY_NODES]  = { "nodes",  by_nodes,  ORDER_HOURS  },
	[BY_USER]   = { "user",   by_user,   ORDER_NAME   },
	[BY_JOB]    = { "job",    by_job,    ORDER_NAME   },
	[BY_UNUSED] = { "unused", by_figure, ORDER_UNUSED },	/* of which it is not known, last */
	[BY_FIGURE] = { NULL,     by_figure, ORDER_FIGURE },	/* likewise */
};

struct listing {
	const char *dir, *user, *host;
	int64_t since, until;
	const struct order *order;
	size_t figure;		/* of the order, in the table */
	uint64_t most;		/* jobs that are printed */
	const char *mail, *append;	/* to whom; to which file */
	bool html, keep;
	struct kept kept;
	struct groups groups;
	struct jobs_table table;
	const char *accounting;	/* path, NULL: none */
	struct sacct sacct;
	struct advice advice;
	const char *advised;	/* path, NULL: the usual file */
	struct archive_file *file;
	size_t n;
	struct job_list list;
	size_t hosts;		/* begun so far */
	bool failed;
};

#define LOCK_MS 10000

/* Jobs of the time may have begun a week before it, and end a week after it: they are whole. */
static bool is_passed_over(const struct listing *a, size_t i)
{
	int64_t since = a->since < INT64_MIN + WEEK_US ? INT64_MIN : a->since - WEEK_US;
	int64_t until = a->until > INT64_MAX - WEEK_US ? INT64_MAX : a->until + WEEK_US;

	return (a->host && fnmatch(a->host, a->file[i].host, 0) != 0) ||
	       !archive_may_hold(a->file, a->n, i, since, until);
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
		if (!is_idle(&j))
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
	return j->last >= a->since && j->first <= a->until &&
	       (!a->user || (j->user && strcmp(j->user, a->user) == 0));
}

/* Only those of the time and of the user stay. */
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

/* Rows differ by what accounting says of the job; 0: it says nothing. */
static uint64_t variant_of(const struct listing *a, const struct listed_job *j)
{
	const struct sacct_job *s = sacct_find(&a->sacct, j->id);
	struct buf b CLEANUP(buf_free) = { 0 };

	if (!s)
		return 0;
	const struct allocation *of = &s->allocation;
	buf_addf(&b, "%s %s %s\n%s %s %llu %llu %llu %llu %llu", of->name, of->account,
		 of->partition, of->exit, of->state, (unsigned long long)of->cpus,
		 (unsigned long long)of->mem, (unsigned long long)of->limit,
		 (unsigned long long)of->gpus, (unsigned long long)s->nodes);
	return str_hash(buf_str(&b)) | 1;
}

/* The row of each job whose files are those that it was made of. */
static void find_rows(struct listing *a, uint64_t *stamp)
{
	for (size_t i = 0; i < a->list.n; i++) {
		struct listed_job *j = &a->list.job[i];
		stamp[i] = j->unread ? 0 : kept_stamp(&a->kept, a->file, j);
		if (stamp[i] && (!kept_find(&a->kept, stamp[i], variant_of(a, j), &j->row) ||
				 !run_row_take(j->row, &j->is)))
			j->row = (struct str){ 0 };
	}
}

/* Rows of other users' jobs stay: marks them as wanted before their jobs leave the list. */
static void want_rows(struct listing *a)
{
	struct str row;
	for (size_t i = 0; i < a->list.n; i++) {
		const struct listed_job *j = &a->list.job[i];
		if (!is_wanted(a, j))
			kept_find(&a->kept, kept_stamp(&a->kept, a->file, j), variant_of(a, j),
				  &row);
	}
}

/* Whole lines, in one piece, that are on the disk when their rows are kept. */
static int append_lines(const char *path, struct str lines)
{
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	int r = files_lock(fd, LOCK_MS);
	off_t size = r == 0 ? lseek(fd, 0, SEEK_END) : -1;
	if (r == 0)
		r = files_write(fd, lines);
	if (r == 0 && fsync(fd) < 0 && errno != EINVAL)	/* a pipe has no disk */
		r = -errno;
	if (r < 0 && size >= 0 && ftruncate(fd, size) < 0)
		log_debug("%s: %s", path, strerror(errno));
	return r;
}

/* False: they are not appended, and come again the next time. */
static bool append_new(struct listing *a)
{
	struct buf lines CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < a->list.n; i++)
		if (a->list.job[i].fresh && a->list.job[i].is.used.known)
			jobs_put_line(&lines, &a->table, &a->list.job[i],
				      sacct_find(&a->sacct, a->list.job[i].id));
	int e = lines.n ? append_lines(a->append, buf_str(&lines)) : 0;
	if (e < 0)
		log_error("%s: %s", a->append, strerror(-e));
	a->failed |= e < 0;
	return e == 0;
}

static void keep_rows(struct listing *a, const uint64_t *stamp)
{
	struct kept_row *new = xrealloc(NULL, a->list.n * sizeof(*new));
	size_t n = 0;

	for (size_t i = 0; i < a->list.n; i++) {
		const struct listed_job *j = &a->list.job[i];
		if (j->fresh && stamp[i])
			new[n++] = (struct kept_row){ stamp[i], variant_of(a, j), j->first,
						      j->last, j->row, true };
	}
	int e = n ? kept_write(&a->kept, a->dir, new, n, a->since, a->until) : 0;
	bool wanted = a->keep || a->append;	/* else who may not write there need not know */
	if (e < 0 && (wanted || (e != -EACCES && e != -EROFS && e != -ENOTDIR)))
		log_warning("%s/" KEPT_NAME ": not written, so that files are read again: %s",
			    a->dir, strerror(-e));
	a->failed |= e < 0 && wanted;
	free(new);
}

static void use_rows(struct listing *a)
{
	const struct list_used used = { a->file, a->host, &a->sacct, a->advice.site };
	uint64_t *stamp = memset(xrealloc(NULL, a->list.n * sizeof(*stamp)), 0,
				 a->list.n * sizeof(*stamp));

	if (!a->host)		/* else it is of a part of the nodes */
		find_rows(a, stamp);
	list_used(&a->list, &used);
	for (size_t i = 0; i < a->list.n; i++)
		if (a->list.job[i].fresh && !run_row_take(a->list.job[i].row, &a->list.job[i].is))
			abort();	/* this program made it */
	if (!a->host && (!a->append || append_new(a)))
		keep_rows(a, stamp);
	free(stamp);
}

static double order_of(const struct listing *a, const struct listed_job *j)
{
	struct run_value v;

	if (a->order == &orders[BY_UNUSED])
		return j->is.used.unused;
	return run_row_value(&j->is, a->table.figure[a->figure], &v) ? v.n : -INFINITY;
}

static void sort_jobs(struct listing *a)
{
	if (a->order->compare == by_figure)
		for (size_t i = 0; i < a->list.n; i++)
			a->list.job[i].order = order_of(a, &a->list.job[i]);
	if (a->list.n)
		qsort(a->list.job, a->list.n, sizeof(*a->list.job), a->order->compare);
}

static void group_jobs(struct listing *a)
{
	for (size_t i = 0; i < a->list.n; i++)
		groups_add(&a->groups, &a->table, &a->list.job[i],
			   sacct_find(&a->sacct, a->list.job[i].id));
	groups_sort(&a->groups, a->order->groups, a->figure);
}

static void put_table(const struct listing *a, struct buf *b)
{
	if (a->groups.by != GROUP_NONE) {
		groups_put_head(b, &a->table, &a->groups);
		for (size_t i = 0; i < a->groups.n && i < a->most; i++)
			groups_put(b, &a->table, &a->groups, &a->groups.group[i]);
		return;
	}
	jobs_put_head(b, &a->table);
	for (size_t i = 0; i < a->list.n && i < a->most; i++)
		jobs_put(b, &a->table, &a->list.job[i],
			 sacct_find(&a->sacct, a->list.job[i].id));
}

/* "Jobs from 2026-11-18 00:00:00 on: the 10 with most unused hours" */
static void put_title(const struct listing *a, struct buf *b)
{
	bool grouped = a->groups.by != GROUP_NONE, worst = a->order->groups == ORDER_UNUSED;

	buf_addf(b, "Jobs%s%s", grouped ? " by " : "", grouped ? group_names[a->groups.by] : "");
	if (a->since != INT64_MIN)
		buf_addf(b, " from %s on", cli_moment(a->since).s);
	if (a->until != INT64_MAX)
		buf_addf(b, " up to %s", cli_moment(a->until).s);
	if (a->most < UINT64_MAX)
		buf_addf(b, ": the %llu %s", (unsigned long long)a->most,
			 worst ? "with most unused hours" : "first");
	buf_add_char(b, '\0');
}

static int print(const struct listing *a)
{
	struct buf b CLEANUP(buf_free) = { 0 }, out CLEANUP(buf_free) = { 0 };
	struct buf title CLEANUP(buf_free) = { 0 };

	put_title(a, &title);
	const struct jobs_page page = { title.p, &a->table, &a->list, &a->groups, &a->sacct,
					a->most < SIZE_MAX ? (size_t)a->most : SIZE_MAX };
	if (a->html)
		jobs_put_html(&out, &page);
	else if (!a->keep)
		put_table(a, &b);
	if (a->mail)
		jobs_put_mail(&out, &page, a->mail, buf_str(&b), realtime_us() / 1000000);
	int e = files_print(STDOUT_FILENO, a->html || a->mail ? &out : &b);
	if (e < 0 && e != -EPIPE)
		log_error("standard output: %s", strerror(-e));
	return e < 0 && e != -EPIPE ? CLI_FAILED : a->failed ? CLI_FAILED : CLI_OK;
}

/* Returns the place of the figure in the table: figures stay in the order of their names. */
static size_t add_figure(struct jobs_table *t, size_t figure)
{
	t->with_used = true;
	for (size_t i = 0; i < t->n_figures; i++)
		if (t->figure[i] == figure)
			return i;
	t->figure = xrealloc(t->figure, (t->n_figures + 1) * sizeof(*t->figure));
	t->figure[t->n_figures] = figure;
	return t->n_figures++;
}

static void take_figures(struct listing *a, const char *text)
{
	struct str rest = str_of(text), name;

	for (size_t i = 0; strcmp(text, "all") == 0 && i < run_figures(); i++)
		if (i >= n_figures || figure_is_shown(&figures[i]))
			add_figure(&a->table, i);
	while (strcmp(text, "all") != 0 && str_take_item(&rest, &name)) {
		size_t i = run_figure_find(name);
		if (i == run_figures())
			cli_wrong(&cli, "--figures: \"" STR_FMT "\" is none; nodometer report "
				  "--json JOB has their names", STR_ARG(name));
		add_figure(&a->table, i);
	}
}

static void take_order(struct listing *a, const char *name)
{
	for (size_t i = 0; i < BY_FIGURE; i++)
		if (strcmp(orders[i].name, name) == 0) {
			a->order = &orders[i];
			return;
		}
	size_t figure = run_figure_find(str_of(name));
	if (figure == run_figures())
		cli_wrong(&cli, "--sort: \"%s\" is not start, length, nodes, user, job, unused "
			  "or a figure; nodometer report --json JOB has their names", name);
	a->order = &orders[BY_FIGURE];
	a->figure = add_figure(&a->table, figure);
}

static void take_by(struct listing *a, const char *name)
{
	for (size_t i = GROUP_NONE + 1; i < GROUP_BYS; i++)
		if (strcmp(group_names[i], name) == 0)
			a->groups.by = (enum group_by)i;
	if (a->groups.by == GROUP_NONE)
		cli_wrong(&cli, "--by: \"%s\" is not user, account, partition, name, node or "
			  "program", name);
}

static void take_mail(struct listing *a, const char *to)
{
	if (!mail_takes_address(str_of(to)))
		cli_wrong(&cli, "--mail: \"%s\" is not an address", to);
	a->mail = to;
}

static void take_worst(struct listing *a, const char *text)
{
	struct str rest = str_of(text);
	if (!str_take_u64(&rest, &a->most) || rest.n || a->most == 0)
		cli_wrong(&cli, "--worst: \"%s\" is not a number of jobs", text);
	if (a->order == &orders[BY_START])
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
	case SORT:  take_order(a, arg); break;
	case WORST: take_worst(a, arg); break;
	case USED:  a->table.with_used = true; break;
	case SACCT:
		a->table.with_sacct = true;
		a->accounting = arg;
		break;
	case JSON:  a->table.form = JOBS_JSON; break;
	case CSV:   a->table.form = JOBS_CSV; break;
	case EXACT: a->table.exact = true; break;
	case BY:    take_by(a, arg); break;
	case FIGURES: take_figures(a, arg); break;
	case HTML:  a->html = true; break;
	case MAIL:  take_mail(a, arg); break;
	case KEEP:  a->keep = true; break;
	case APPEND: a->append = arg; break;
	case ADVICE: a->advised = arg; break;
	}
}

/* Options that exclude each other end the program. */
static void check_together(const struct listing *a)
{
	if (a->host && (a->keep || a->append))
		cli_wrong(&cli, "--keep and --append are of whole runs: without --host");
	if ((a->html || a->mail) && a->table.form != JOBS_TEXT)
		cli_wrong(&cli, "--html and --mail are forms of their own: without --json, --csv");
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
	if (why.n)
		log_warning("left out: " STR_FMT, STR_ARG(buf_str(&why)));
	if (a->host && archive_find_host(a->file, a->n, &a->host, &log_listener) < 0)
		return false;
	if (a->n)
		spread_run(&spread, 0, a->n, spread_cpus());
	job_list_end(&a->list, a->file);
	if (!read_accounting(a))
		return false;
	name_users(a);
	if (a->table.with_used && !a->host) {
		kept_read(&a->kept, a->dir, run_row_formula(a->advice.site), a->n);
		if (a->user)
			want_rows(a);
	}
	keep_wanted(a);
	if (a->table.with_used)
		use_rows(a);
	if (a->groups.by != GROUP_NONE)
		group_jobs(a);
	else
		sort_jobs(a);
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
	check_together(&a);
	a.table.with_used |= a.order == &orders[BY_UNUSED] || a.groups.by != GROUP_NONE ||
			     a.html || a.mail || a.keep || a.append;
	advice_begin(&a.advice);
	a.table.factors = &a.advice.factors;
	bool ready = !a.table.with_used || advice_read(a.advised, &a.advice);
	int status = ready && list(&a) ? print(&a) : CLI_FAILED;
	groups_free(&a.groups);
	job_list_free(&a.list);
	kept_free(&a.kept);
	free(a.table.figure);
	sacct_free(&a.sacct);
	archive_list_free(a.file, a.n);
	advice_end(&a.advice);
	return status;
}
