/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.c - nodometer jobs: the jobs of an archive, from the indexes of its files where it can */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/cli.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"
#include "report/job_list.h"
#include "report/sacct.h"
#include "report/search.h"
#include "report/spread.h"

#define SECOND 1000000

enum { DIR_, USER, HOST, SINCE, UNTIL, SORT, SACCT, JSON, CSV };
static const struct cli_option options[] = {
	[DIR_]  = { "dir",   "DIR",  "archive, or one file of it (" DIR_DEFAULT ")" },
	[USER]  = { "user",  "USER", "only jobs of USER" },
	[HOST]  = { "host",  "HOST", "only what was on HOST; \"*\" and \"?\" match" },
	[SINCE] = { "since", "TIME", "only jobs that were there at TIME or later" },
	[UNTIL] = { "until", "TIME", "only jobs that were there at TIME or before" },
	[SORT]  = { "sort",  "KEY",  "start (default), length, nodes, user or job" },
	[SACCT] = { "sacct", "FILE", "of sacct --parsable2: ids of arrays, names, states" },
	[JSON]  = { "json",  NULL,   "print one JSON object per line" },
	[CSV]   = { "csv",   NULL,   "print lines job,user,nodes,start,length,begun,ended" },
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

static const struct order {
	const char *name;
	int (*compare)(const void *a, const void *b);
} orders[] = {
	{ "start",  by_start  },	/* the oldest first */
	{ "length", by_length },
	{ "nodes",  by_nodes  },
	{ "user",   by_user   },
	{ "job",    by_job    },
};

struct listing {
	const char *dir, *user, *host;
	int64_t since, until;
	const struct order *order;
	struct sacct sacct;
	bool with_sacct, json, csv;
	struct archive_file *file;
	size_t n;
	struct job_list list;
	size_t hosts;		/* that were begun */
	bool failed;
};

static bool is_passed_over(const struct listing *a, size_t i)
{
	return (a->host && fnmatch(a->host, a->file[i].host, 0) != 0) ||
	       !archive_may_hold(a->file, a->n, i, a->since, a->until);
}

/* The file's index, or one that is made of its records; a first line that says what is wrong. */
static void read_file(void *arg, size_t i, struct buf *out)
{
	const struct listing *a = arg;
	const char *path = a->file[i].path;
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	struct input *in;

	if (is_passed_over(a, i))
		return;
	if (index_read(path, &b, &text) == 0) {
		buf_add(out, text);
		return;
	}
	int e = input_open(path, &in);
	if (e == 0) {
		const struct byte_source bytes = input_bytes(in);
		e = index_make(&bytes, &b);
		e = input_error(in) ? input_error(in) : e;
		input_free(in);
		text = buf_str(&b);
	}
	if (e < 0)
		buf_addf(out, "wrong %s\n", e == -EBADMSG ? "some of it cannot be read" :
			 e == -E2BIG ? "it has more jobs than are listed" : input_why(e));
	if (e == 0 || e == -EBADMSG || e == -E2BIG)
		buf_add(out, buf_str(&b));
}

static void take_file(void *arg, size_t i, struct str text)
{
	struct listing *a = arg;
	struct index_job j;
	struct str line, rest = text;

	if (i == 0 || strcmp(a->file[i].host, a->file[i - 1].host) != 0)
		a->hosts++;
	if (str_take_line(&rest, &line) && str_take_prefix(&line, STR("wrong "))) {
		log_warning("%s: " STR_FMT, a->file[i].path, STR_ARG(line));
		a->failed = true;
	}
	while (index_next_job(&text, &j))
		if (j.last >= a->since && j.first <= a->until)
			job_list_add(&a->list, a->hosts, &j);
}

static void put_time(struct buf *b, int64_t usec)
{
	char text[32];
	time_t t = (time_t)(usec / SECOND);
	struct tm tm;
	if (localtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_add(b, str_of(text));
	else
		buf_add_char(b, '-');
}

static void put_text(struct buf *b, const struct listed_job *j, const struct sacct_job *a)
{
	int64_t s = (j->last - j->first) / SECOND;
	size_t at = b->n;
	buf_addf(b, "%-14s %-10s %5zu  ", a ? a->shown : j->id, j->user ? j->user : "-", j->nodes);
	utf8_make_printable(b->p + at, b->n - at);
	put_time(b, j->first);
	buf_addf(b, a ? " %5lld:%02lld:%02lld  %-13s" : " %5lld:%02lld:%02lld  %s",
		 (long long)(s / 3600), (long long)(s / 60 % 60), (long long)(s % 60),
		 j->ended == j->nodes ? "ended" : j->ended ? "ended on some" : "no end");
	at = b->n;
	if (a)
		buf_addf(b, "  %-10s %s", a->asked.state, a->asked.name);
	utf8_make_printable(b->p + at, b->n - at);
	buf_add_char(b, '\n');
}

static void json_word(struct buf *b, const char *name, const char *word)
{
	if (word[0])
		json_str(b, name, str_of(word));
}

static void put_json(struct buf *b, const struct listed_job *j, const struct sacct_job *a)
{
	json_open(b, NULL, '{');
	json_str(b, "job", str_of(j->id));
	if (a) {
		json_str(b, "slurm_id", str_of(a->shown));
		json_word(b, "name", a->asked.name);
		json_word(b, "account", a->asked.account);
		json_word(b, "partition", a->asked.partition);
		json_word(b, "state", a->asked.state);
		json_word(b, "exit", a->asked.exit);
	}
	if (j->user)
		json_str(b, "user", str_of(j->user));
	json_u64(b, "nodes", j->nodes);
	json_seconds(b, "start", j->first);
	json_seconds(b, "length", j->last - j->first);
	json_u64(b, "begun", j->begun);
	json_u64(b, "ended", j->ended);
	json_u64(b, "samples", j->samples);
	json_close(b, '}');
	buf_add_char(b, '\n');
}

static void put_csv(struct buf *b, const struct listed_job *j, bool with_sacct,
		    const struct sacct_job *a)
{
	csv_str(b, str_of(j->id));
	csv_str(b, str_of(j->user ? j->user : ""));
	csv_int(b, (int64_t)j->nodes);
	csv_seconds(b, j->first);
	csv_seconds(b, j->last - j->first);
	csv_int(b, (int64_t)j->begun);
	csv_int(b, (int64_t)j->ended);
	if (with_sacct) {
		csv_str(b, str_of(a ? a->shown : ""));
		csv_str(b, str_of(a ? a->asked.name : ""));
		csv_str(b, str_of(a ? a->asked.account : ""));
		csv_str(b, str_of(a ? a->asked.partition : ""));
		csv_str(b, str_of(a ? a->asked.state : ""));
		csv_str(b, str_of(a ? a->asked.exit : ""));
	}
	csv_end(b);
}

static bool is_wanted(const struct listing *a, const struct listed_job *j)
{
	return !a->user || (j->user && strcmp(j->user, a->user) == 0);
}

static void put_job(struct buf *b, const struct listing *a, const struct listed_job *j)
{
	const struct sacct_job *s = sacct_find(&a->sacct, j->id);
	if (a->csv)
		put_csv(b, j, a->with_sacct, s);
	else
		(a->json ? put_json : put_text)(b, j, s);
}

/* Whose marks name no user, accounting may. */
static void name_users(struct listing *a)
{
	for (size_t i = 0; i < a->list.n; i++) {
		struct listed_job *j = &a->list.job[i];
		const struct sacct_job *s = sacct_find(&a->sacct, j->id);
		if (s && s->user[0] && !j->user)
			j->user = xstrdup(str_of(s->user));
	}
}

static int print(const struct listing *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (a->csv)
		buf_addf(&b, "job,user,nodes,start,length,begun,ended%s\n", a->with_sacct ?
			 ",slurm_id,name,account,partition,state,exit" : "");
	else if (!a->json)
		buf_addf(&b, "JOB            USER       NODES  START                  LENGTH  "
			 "MARKS%s\n", a->with_sacct ? "          STATE      NAME" : "");
	for (size_t i = 0; i < a->list.n; i++)
		if (is_wanted(a, &a->list.job[i]))
			put_job(&b, a, &a->list.job[i]);
	int e = files_write(STDOUT_FILENO, buf_str(&b));
	if (e < 0 && e != -EPIPE)
		log_error("standard output: %s", strerror(-e));
	return e < 0 && e != -EPIPE ? CLI_FAILED : a->failed ? CLI_FAILED : CLI_OK;
}

static const struct order *take_order(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		if (strcmp(orders[i].name, name) == 0)
			return &orders[i];
	cli_wrong(&cli, "--sort: \"%s\" is not start, length, nodes, user or job", name);
}

static int64_t take_time(const char *text)
{
	int64_t usec;
	if (cli_time(text, &usec) < 0)
		cli_wrong(&cli, "%s: not a time", text);
	return usec;
}

static void take_option(struct listing *a, int option, const char *arg)
{
	switch (option) {
	case DIR_:  a->dir = arg; break;
	case USER:  a->user = arg; break;
	case HOST:  a->host = arg; break;
	case SINCE: a->since = take_time(arg); break;
	case UNTIL: a->until = take_time(arg); break;
	case SORT:  a->order = take_order(arg); break;
	case SACCT:
		a->with_sacct = true;
		if (sacct_read(&a->sacct, arg) < 0)
			exit(CLI_FAILED);
		break;
	case JSON:  a->json = true; break;
	case CSV:   a->csv = true; break;
	}
}

int main(int argc, char **argv)
{
	struct listing a = { .dir = DIR_DEFAULT, .since = INT64_MIN, .until = INT64_MAX,
			   .order = &orders[0] };
	const struct spread spread = { read_file, take_file, &a };
	const char *arg;

	log_open("nodometer jobs", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		take_option(&a, o, arg);
	if (optind < argc)
		cli_wrong(&cli, "%s: no operand is wanted", argv[optind]);
	int e = archive_list(a.dir, &a.file, &a.n);
	if (e < 0) {
		log_error("%s: %s", a.dir, input_why(e));
		return CLI_FAILED;
	}
	if (a.n)
		spread_run(&spread, 0, a.n, spread_cpus());
	name_users(&a);
	if (a.list.n)
		qsort(a.list.job, a.list.n, sizeof(*a.list.job), a.order->compare);
	int status = print(&a);
	job_list_free(&a.list);
	sacct_free(&a.sacct);
	archive_list_free(a.file, a.n);
	return status;
}
