/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-fetch.c - fetch records from ClickHouse for a program of this package */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/frame.h"
#include "base/system/privileges.h"
#include "base/system/stream.h"
#include "base/vec.h"
#include "fetch/coverage.h"
#include "fetch/engine.h"
#include "fetch/queries.h"

#define SECOND_NS       INT64_C(1000000000)
#define HOUR_US         INT64_C(3600000000)
#define DAY_US          (24 * HOUR_US)
#define FETCH_S         600
#define PIECES_MAX      32	/* largest number of time spans in one query */
#define PIECE_US        DAY_US	/* longest time span of one query */
/* longest time span of one query if the request wants no rows */
#define MARKS_US        (31 * DAY_US)
/* a run is found if it started at most 31 days before the requested time */
#define RUN_MAX_US      (31 * DAY_US)
#define HEADS_BYTES_MAX (64u << 20)	/* largest size of the headers of one query, in bytes */
#define LOGIN_BYTES_MAX 4096

enum { LOGIN, HOST };
static const struct cli_option options[] = {
	[LOGIN] = { "login", "FILE", "file of login keys of [sink http], KEY = VALUE" },
	[HOST]  = { "host",  "HOST", "only records of HOST; \"*\" and \"?\" match" },
};
static const struct cli cli = {
	.program = "nodometer-fetch", .operands = "URL", CLI_OPTIONS(options),
	.about = "Reads records from ClickHouse for nodometer report, jobs and others with\n"
		 "--from, which start it. Request and answer go through standard input.",
	.page = "nodometer-fetch(8)",
};

static const struct key login_keys[] = { HTTPS_KEYS(0) };

struct fetch_head {
	char *host, *id, *text;
};

struct fetch {
	/*
	 * .url: URL of ClickHouse; .pattern: shell pattern of the hosts to fetch, NULL for all
	 * hosts
	 */
	const char *url, *pattern;
	struct engine engine;
	struct answer_request q;
	struct spans spans;
	struct coverage coverage;
	int64_t deadline_ns;
	/* the different headers of the records in the spans of the current query */
	struct fetch_head *head;
	size_t n_heads, cap_heads, head_bytes;
	struct buf host, header;	/* host and header id of the last record sent */
	bool host_sent;		/* the frame with the hostname was sent */
	int64_t usec, line;
	struct buf out;
	/* .bytes: bytes sent; .n_lost: records whose header was not found */
	uint64_t bytes, n_lost;
	struct buf why;
};

static int fetch_send_frame(struct fetch *f, enum answer_frame kind, struct str bytes)
{
	return frame_send(STDIN_FILENO, (char)kind, bytes, f->deadline_ns);
}

static int fetch_send_data(struct fetch *f)
{
	f->bytes += f->out.n;
	if (f->bytes > ANSWER_BYTES_MAX) {
		buf_addf(&f->why, "the answer exceeds %llu MB: select a job, a host or a shorter "
			 "time", ANSWER_BYTES_MAX >> 20);
		return -EFBIG;
	}
	int r = frame_send_all(STDIN_FILENO, ANSWER_DATA, buf_str(&f->out), f->deadline_ns);
	f->out.n = 0;
	return r;
}

static bool fetch_host_is_wanted(const struct fetch *f, struct str host)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	if (!f->pattern)
		return true;
	buf_addf(&name, STR_FMT "%c", STR_ARG(host), '\0');
	return fnmatch(f->pattern, name.p, 0) == 0 ||
	       archive_is_same_host(host, str_of(f->pattern));
}

static int fetch_add_span(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	return fetch_host_is_wanted(f, v[0].text) ?
		spans_add(&f->spans, v[0].text, v[1].number, v[2].number) : 0;
}

static int fetch_keep_head(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	f->head_bytes += v[2].text.n + sizeof(*f->head);
	if (f->head_bytes > HEADS_BYTES_MAX)
		return -EFBIG;
	f->head = vec_reserve(f->head, &f->cap_heads, f->n_heads + 1, sizeof(*f->head));
	f->head[f->n_heads++] = (struct fetch_head){ xstrdup(v[0].text), xstrdup(v[1].text),
						     xstrdup(v[2].text) };
	return 0;
}

static void fetch_free_heads(struct fetch *f)
{
	for (size_t i = 0; i < f->n_heads; i++) {
		free(f->head[i].host);
		free(f->head[i].id);
		free(f->head[i].text);
	}
	f->n_heads = f->head_bytes = 0;
}

/*
 * Append a header to the output. If the request wants no rows, leave out the lines that describe
 * types.
 */
static void fetch_put_head_text(struct fetch *f, struct str text)
{
	struct str line;
	while (str_take_line(&text, &line))
		if (f->q.rows || str_peek(line) != '!')
			buf_addf(&f->out, STR_FMT "\n", STR_ARG(line));
}

/* Append the header of a record to the output. Returns false if f->head lacks the header. */
static bool fetch_put_head(struct fetch *f, const struct row_value *v)
{
	for (size_t i = 0; i < f->n_heads; i++) {
		const struct fetch_head *h = &f->head[i];
		if (!str_eq(str_of(h->host), v[RECORD_HOST].text) ||
		    !str_eq(str_of(h->id), v[RECORD_HEADER].text))
			continue;
		fetch_put_head_text(f, str_of(h->text));
		f->header.n = 0;
		buf_add(&f->header, v[RECORD_HEADER].text);
		return true;
	}
	return false;
}

/* Send the remaining records of a host. A blank line shows that the last record is complete. */
static int fetch_end_host(struct fetch *f)
{
	if (f->host_sent)
		buf_add_char(&f->out, '\n');
	return fetch_send_data(f);
}

static int fetch_begin_host(struct fetch *f, struct str host)
{
	int r = fetch_end_host(f);
	f->host_sent = false;
	f->host.n = f->header.n = 0;
	buf_add(&f->host, host);
	return r;
}

static int fetch_send_host(struct fetch *f)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	answer_put_host(&b, f->usec / 1000000, buf_str(&f->host));
	f->host_sent = true;
	return b.n > FRAME_MAX ? -EBADMSG : fetch_send_frame(f, ANSWER_HOST, buf_str(&b));
}

/*
 * Append a record to the output, unless the record repeats the last one (same host, time and line).
 */
static int fetch_handle_record(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	bool other = !str_eq(v[RECORD_HOST].text, buf_str(&f->host));
	int r = other ? fetch_begin_host(f, v[RECORD_HOST].text) : 0;
	if (r < 0 || (!other && f->usec == v[RECORD_USEC].number &&
		      f->line == v[RECORD_LINE].number))
		return r;
	f->usec = v[RECORD_USEC].number;
	f->line = v[RECORD_LINE].number;
	bool due = v[RECORD_RESTART].number ||
		   !str_eq(v[RECORD_HEADER].text, buf_str(&f->header));
	if (due && !fetch_put_head(f, v)) {
		f->n_lost++;
		return 0;
	}
	buf_add(&f->out, v[RECORD_MARKS].text);
	buf_add(&f->out, v[RECORD_ROWS].text);
	r = f->host_sent ? 0 : fetch_send_host(f);
	return r < 0 || f->out.n < FRAME_MAX ? r : fetch_send_data(f);
}

/*
 * Return false, to cancel the query, if the program that sent the request has exited or the
 * deadline has passed.
 */
static bool fetch_is_wanted(void *arg)
{
	const struct fetch *f = arg;

	return !stream_is_closed(STDIN_FILENO) && monotonic_ns() < f->deadline_ns;
}

static int fetch_query(struct fetch *f, const struct buf *query, const char *columns,
		       int (*take)(void *arg, const struct row_value *v))
{
	const struct row_taker to = { columns, take, f, fetch_is_wanted };
	return engine_ask(&f->engine, buf_str(query), &to, &f->why);
}

static int fetch_get_pieces(struct fetch *f, const struct time_span *piece, size_t n)
{
	struct buf heads CLEANUP(buf_free) = { 0 }, records CLEANUP(buf_free) = { 0 };
	query_put_heads(&heads, &f->spans, piece, n);
	query_put_records(&records, &f->spans, piece, n);
	int r = fetch_query(f, &heads, HEADS_COLUMNS, fetch_keep_head);
	if (r == 0)
		r = fetch_query(f, &records, RECORDS_COLUMNS, fetch_handle_record);
	fetch_free_heads(f);
	return r;
}

/* Fetch all records in the spans, and pass them to the program that sent the request. */
static int fetch_get_spans(struct fetch *f)
{
	struct time_span piece[PIECES_MAX];
	int64_t done = INT64_MIN;
	size_t at = 0, n;
	int r = 0;
	while (r == 0 && (n = spans_next(&f->spans, &at, &done, f->q.rows ? PIECE_US : MARKS_US,
					 piece, PIECES_MAX)))
		r = fetch_get_pieces(f, piece, n);
	return r == 0 ? fetch_end_host(f) : r;
}

static int fetch_get_records(struct fetch *f)
{
	struct buf query CLEANUP(buf_free) = { 0 };
	query_put_spans(&query, &f->q, f->q.job.n ? RUN_MAX_US : HOUR_US);
	int r = fetch_query(f, &query, SPANS_COLUMNS, fetch_add_span);
	return r == 0 ? fetch_get_spans(f) : r;
}

static int fetch_add_run(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	return coverage_add_run(&f->coverage, v[0].text, v[1].number, v[2].number);
}

static int fetch_add_day(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	return coverage_add_day(&f->coverage, v[0].text, v[1].text, v[2].number, v[3].number);
}

static int fetch_put_stored_run(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	if (coverage_is_stale(&f->coverage, v[0].text))
		return 0;
	buf_addf(&f->out, "%zu ", v[3].text.n);
	buf_add(&f->out, v[3].text);
	return f->out.n < FRAME_MAX ? 0 : fetch_send_data(f);
}

/* Send the stored runs (see formats/answer.h) of jobs that are not stale, as one raw file. */
static int fetch_send_stored_runs(struct fetch *f)
{
	struct buf query CLEANUP(buf_free) = { 0 }, b CLEANUP(buf_free) = { 0 };
	answer_put_host(&b, 0, STR(ANSWER_STORED_HOST));
	query_put_runs(&query, &f->q, RUN_MAX_US, true);
	int r = fetch_send_frame(f, ANSWER_HOST, buf_str(&b));
	if (r == 0)
		r = fetch_query(f, &query, STORED_COLUMNS, fetch_put_stored_run);
	return r == 0 ? fetch_send_data(f) : r;
}

/* Find the stale jobs (see coverage.h), and add the days of these jobs to the spans to read. */
static int fetch_find_stale(struct fetch *f)
{
	struct buf query CLEANUP(buf_free) = { 0 };
	query_put_job_days(&query, &f->q, RUN_MAX_US);
	int r = fetch_query(f, &query, JOB_DAYS_COLUMNS, fetch_add_day);
	coverage_end(&f->coverage);
	for (size_t i = 0; i < f->coverage.n_days && r == 0; i++) {
		const struct job_day *d = &f->coverage.day[i];
		r = spans_add(&f->spans, str_of(d->host), d->first, d->last);
	}
	return r;
}

/*
 * Send the stored runs, and the records of stale jobs. If the database has no stored run or no
 * table of runs, send all records. If the request wants only stored runs, send only these.
 */
static int fetch_get_stored_runs(struct fetch *f)
{
	struct buf query CLEANUP(buf_free) = { 0 };
	bool only = f->q.what == ANSWER_ONLY_STORED;
	query_put_runs(&query, &f->q, 2 * RUN_MAX_US, false);
	int r = fetch_query(f, &query, RUNS_COLUMNS, fetch_add_run);
	if (only || (r < 0 && r != -EREMOTEIO))
		return r < 0 ? r : fetch_send_stored_runs(f);
	f->why.n = 0;
	if (f->coverage.n_runs == 0) {
		f->q.job = STR("");
		return fetch_get_records(f);
	}
	r = fetch_find_stale(f);
	if (r == 0)
		r = fetch_send_stored_runs(f);
	return r == 0 ? fetch_get_spans(f) : r;
}

static int fetch_get_answer(struct fetch *f)
{
	bool stored = f->q.what == ANSWER_STORED || f->q.what == ANSWER_ONLY_STORED;
	f->spans = (struct spans){ .q = &f->q, .near = HOUR_US };
	f->coverage.q = &f->q;
	return (stored ? fetch_get_stored_runs : fetch_get_records)(f);
}

static const char *fetch_explain(int e)
{
	return e == -EBADMSG ? "the answer has no valid records; were the tables created by "
			       "clickhouse.sql?" :
	       e == -ECANCELED ? "the database did not complete its answer within 10 minutes" :
	       e == -EFBIG ? "the answer is too large: select a job, a host or a shorter time" :
	       strerror(-e);
}

static int fetch_send_end(struct fetch *f, int e)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (e < 0 && !f->why.n)
		buf_addf(&f->why, "%s", fetch_explain(e));
	if (e == 0 && f->n_lost)
		buf_addf(&f->why, "%llu records are left out: their header is missing",
			 (unsigned long long)f->n_lost);
	answer_put_end(&b, e == 0, buf_str(&f->why));
	return fetch_send_frame(f, ANSWER_END,
				(struct str){ b.p, b.n < FRAME_MAX ? b.n : FRAME_MAX });
}

/* Parse a line KEY = VALUE of the login file. */
static int fetch_parse_login(struct str line, struct https_keys *keys, struct buf *why)
{
	char value[KEY_TEXT_MAX], name[64];
	struct str head;
	const struct key *k = NULL;
	if (str_take_until(&line, '=', &head) && str_copy(name, sizeof(name), str_trim(head)) &&
	    str_copy(value, sizeof(value), str_trim(line)))
		k = key_find(login_keys, ARRAY_SIZE(login_keys), name);
	if (!k)
		buf_addf(why, "expected lines KEY = VALUE, with the login keys of [sink http]");
	return k && key_set(k, keys, value, why) ? 0 : -EINVAL;
}

static int fetch_read_login(const char *path, struct https_keys *keys, struct buf *why)
{
	char text[LOGIN_BYTES_MAX];
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	struct str rest = { text, n > 0 ? (size_t)n : 0 }, line;
	int r = n < 0 ? -errno : n == sizeof(text) ? -EFBIG : 0;
	buf_addf(why, "%s: ", path);
	if (r < 0)
		buf_addf(why, "%s", strerror(-r));
	while (r == 0 && str_take_line(&rest, &line)) {
		line = str_trim(line);
		if (line.n && str_peek(line) != '#')
			r = fetch_parse_login(line, keys, why);
	}
	if (r == 0)
		why->n = 0;
	return r;
}

/*
 * Drop all access, except reading certificates, secrets and the configuration of name servers. No
 * file can be written.
 */
static int fetch_confine(const struct https_keys *k)
{
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	const struct confine_path paths[] = {
		{ "/etc", CONFINE_READ }, { "/run", CONFINE_READ },
		{ "/usr/share/ca-certificates", CONFINE_READ },
		{ k->ca_file, CONFINE_READ }, { k->cert_file, CONFINE_READ },
		{ k->key_file[0] == '/' ? k->key_file : "", CONFINE_READ },
		{ k->token_file[0] == '/' ? k->token_file : "", CONFINE_READ },
		{ k->password_file[0] == '/' ? k->password_file : "", CONFINE_READ },
		{ credentials ? credentials : "", CONFINE_READ },
	};
	struct confined c;
	int r = privileges_keep(0);
	if (r == 0)
		confine(paths, ARRAY_SIZE(paths), MAY_CONNECT | MAY_NETWORK, &c);
	return r;
}

static int fetch_receive_request(struct fetch *f, struct buf *b)
{
	char kind;
	int r = frame_receive(STDIN_FILENO, &kind, b, ANSWER_REQUEST_MAX, f->deadline_ns);
	if (r < 0)
		return r;
	return kind == ANSWER_REQUEST ? answer_take_request(buf_str(b), &f->q) : -EBADMSG;
}

static int fetch_run(struct fetch *f, const char *login)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct https_keys keys = { .user = "" };
	int r = fetch_receive_request(f, &text);
	if (r == 0)
		r = fetch_send_frame(f, ANSWER_ARCHIVE, str_of(f->url));
	if (r < 0) {
		log_error("standard input: %s; only commands with --from, such as nodometer "
			  "report, can start this program", strerror(-r));
		return r;
	}
	r = login ? fetch_read_login(login, &keys, &f->why) : 0;
	if (r == 0)
		r = engine_open(&f->engine, &keys, f->url, &f->why);
	if (r == 0)
		r = fetch_confine(&keys);
	if (r == 0)
		r = fetch_get_answer(f);
	return fetch_send_end(f, r);
}

int main(int argc, char **argv)
{
	static struct fetch f;
	const char *arg, *login = NULL;

	log_open("nodometer-fetch", LOG_LEVEL_INFO);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		if (o == LOGIN)
			login = arg;
		else
			f.pattern = arg;
	if (argc - optind != 1)
		return cli_misused(&cli, "expected one URL");
	f.url = argv[optind];
	f.deadline_ns = monotonic_ns() + FETCH_S * SECOND_NS;
	alarm(FETCH_S + 1);
	int r = fetch_run(&f, login);
	engine_close(&f.engine);
	spans_free(&f.spans);
	coverage_free(&f.coverage);
	free(f.head);
	buf_free(&f.host);
	buf_free(&f.header);
	buf_free(&f.out);
	buf_free(&f.why);
	return r < 0 ? CLI_FAILED : CLI_OK;
}
