/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c - nodometer nodes: find nodes that are slower than others, from stored rows of runs */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/cli.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/system/foreign.h"
#include "report/advice.h"
#include "report/jobs/run_store.h"
#include "report/jobs/stored_run.h"
#include "report/jobs/suspects.h"
#include "report/search.h"

enum { DIR_, FROM, LOGIN, SLOW, SINCE, JSON };
static const struct cli_option options[] = {
	[DIR_]  = { "dir",   "DIR",  "archive (" DIR_DEFAULT ")" },
	[FROM]  = FROM_ROW,
	[LOGIN] = LOGIN_ROW,
	[SLOW]  = { "slow",  NULL,   "list nodes slower than their peers in the same jobs" },
	[SINCE] = { "since", "TIME", "use only runs at or after TIME" },
	[JSON]  = { "json",  NULL,
		    "print an object per line: share/nodometer/schemas/nodes-1.json" },
};
static const struct cli cli = {
	.command = "nodes", .operands = "", CLI_OPTIONS(options),
	.about = "Compares nodes of an archive by the jobs that they ran together. Uses the rows\n"
		 "that nodometer jobs --keep stores.\n" CLI_TIME,
};

struct request {
	const char *dir;
	struct from from;	/* replaces .dir if .from has a URL */
	int64_t since;
	bool slow, json;
};

/*
 * Return whether row i is the first row of its run. A run has several rows if its accounting record
 * changed, but is counted once.
 */
static bool is_first(const struct run_store *k, size_t i)
{
	for (struct map_slot *at = NULL; (at = map_next(&k->by_hash, k->row[i].hash, at)); )
		if (at->value.n < i && k->row[at->value.n].hash == k->row[i].hash)
			return false;
	return true;
}

static void read_rows(struct suspects *s, struct run_store *k, int64_t since)
{
	int64_t first, last;
	struct run_row row;
	struct str bytes;
	for (size_t i = 0; i < k->n; i++)
		if (is_first(k, i) && run_store_times(k, i, &first, &last) && last >= since &&
		    run_store_bytes(k, i, &bytes) && run_row_take(bytes, &row))
			suspects_add(s, &row, first, last);
}

static void nodes_put_json(struct buf *b, const struct suspect *one)
{
	json_open(b, NULL, '{');
	json_str(b, "node", str_of(one->node));
	json_str(b, "measure", str_of(slow_measures[one->measure].name));
	json_double(b, "percent", 100 * one->by);
	json_u64(b, "slow_runs", one->slow);
	json_u64(b, "runs", one->compared);
	json_seconds(b, "since", one->since);
	json_seconds(b, "until", one->until);
	json_double(b, "chance", one->chance);
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}

static void nodes_put_text(struct buf *b, const struct suspect *one)
{
	char runs[32];
	snprintf(runs, sizeof(runs), "%u of %u", one->slow, one->compared);
	buf_addf(b, "%-16s %7.1f %% %13s  %s  %s  %s\n", text_name(str_of(one->node), 64).s,
		 100 * one->by, runs, cli_moment(one->since).s, cli_moment(one->until).s,
		 slow_measures[one->measure].title);
}

static void put_all(struct buf *b, const struct suspects *s, bool json)
{
	struct suspect *found = NULL;
	size_t n = suspects_find(s, &found);

	if (!json && n)
		buf_addf(b, "%-16s %9s %13s  %-19s  %-19s  %s\n", "NODE", "SLOWER", "IN RUNS",
			 "SINCE", "UNTIL", "BY");
	for (size_t i = 0; i < n; i++)
		(json ? nodes_put_json : nodes_put_text)(b, &found[i]);
	if (!json)
		buf_addf(b, "%s%zu nodes were compared in %llu runs of one of them.\n",
			 n ? "" : "No node is slower than its peers beyond chance: ",
			 s->n, (unsigned long long)s->runs);
	free(found);
}

static void nodes_explain_none(const char *path)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	/* open the file to test it; access(2) would ignore CAP_DAC_READ_SEARCH */
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 || errno == ENOENT)
		buf_add(&why, STR("no stored runs; nodometer jobs --keep stores them"));
	else
		input_explain(&why, path, -errno);
	log_error("%s: " STR_FMT, path, STR_ARG(buf_str(&why)));
}

/* Add the rows of an archive. Returns false, after logging why, if it has no rows. */
static bool nodes_read_archive(const struct request *a, uint64_t formula, struct suspects *s)
{
	struct run_store k CLEANUP(run_store_free) = RUN_STORE_EMPTY;

	run_store_read(&k, a->dir, formula, 0);
	if (k.n == 0)
		nodes_explain_none(k.path.p);
	else
		read_rows(s, &k, a->since);
	return k.n > 0;
}

/* Add the stored runs (stored_run.h) of a text. Returns the number of runs, or -EBADMSG. */
static int nodes_take_runs(struct str text, int64_t since, struct suspects *s)
{
	struct stored_run line;
	struct run_row row;
	int n = 0, r;

	while ((r = stored_run_take(&text, &line)) > 0) {
		if (!run_row_take(line.row, &row))
			return -EBADMSG;
		if (line.job.last >= since)
			suspects_add(s, &row, line.job.first, line.job.last);
		n++;
	}
	return r < 0 ? r : n;
}

/* Add the stored runs of a database. Returns false, after logging why, if it has no stored runs. */
static bool nodes_read_database(const struct request *a, uint64_t formula, struct suspects *s)
{
	struct buf left_out CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	struct buf text CLEANUP(buf_free) = { 0 };
	char formula_text[STORED_FORMULA_MAX];
	struct answer_request ask = stored_run_request(formula, formula_text);
	struct archive_file *file = NULL;
	size_t n = 0;

	ask.what = ANSWER_ONLY_STORED;
	ask.since = a->since;
	int r = archive_from(&a->from, NULL, &ask, NULL, &file, &n, &left_out, &why);
	if (r < 0)
		log_error(STR_FMT, STR_ARG(buf_str(&why)));
	else if ((r = stored_run_read(file, &n, &text)) < 0 ||
		 (r = nodes_take_runs(buf_str(&text), a->since, s)) < 0)
		log_error("%s: stored runs: %s", a->from.url, stored_run_why(r));
	else if (r == 0)
		log_error("%s: no stored runs of this version and these thresholds; nodometer jobs "
			  "--append writes them", a->from.url);
	archive_list_free(file, n);
	return r > 0;
}

static int nodes_print(const struct request *a, const struct finding_site *site)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	struct suspects s CLEANUP(suspects_free) = { 0 };
	uint64_t formula = run_row_formula(site);

	if (!(a->from.url ? nodes_read_database : nodes_read_archive)(a, formula, &s))
		return CLI_FAILED;
	put_all(&out, &s, a->json);
	return cli_print(&out);
}

int main(int argc, char **argv)
{
	struct request a = { .dir = DIR_DEFAULT, .since = INT64_MIN };
	const char *arg;

	log_open("nodometer nodes", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		switch (o) {
		case DIR_:  a.dir = arg; break;
		case FROM:  a.from.url = arg; break;
		case LOGIN: a.from.login = arg; break;
		case SLOW:  a.slow = true; break;
		case SINCE: a.since = cli_time(&cli, arg); break;
		case JSON:  a.json = true; break;
		}
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		exit(CLI_WRONG);
	if (!a.slow)
		cli_wrong(&cli, "missing option --slow");
	if (archive_is_here(&a.from, a.dir))
		foreign_leave_root(&log_listener);
	struct advice advice;
	advice_begin(&advice);
	int status = advice_read(NULL, &advice) ? nodes_print(&a, advice.site) : CLI_FAILED;
	advice_end(&advice);
	return status;
}
