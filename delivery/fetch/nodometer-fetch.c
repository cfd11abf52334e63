/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-fetch.c - gets records out of ClickHouse for a program of this package */
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
#include "base/vec.h"
#include "fetch/engine.h"
#include "fetch/queries.h"

#define SECOND_NS INT64_C(1000000000)
#define HOUR_US   INT64_C(3600000000)
#define DAY_US    (24 * HOUR_US)
#define FETCH_S   600
#define PIECES    32		/* asked for at once, */
#define PIECE_US  DAY_US	/* and each so long, */
#define MARKS_US  (31 * DAY_US)	/* or without rows so */
#define MONTH_US  (31 * DAY_US)	/* a run of the time may have begun so long before */
#define HEADS_MAX (64u << 20)	/* bytes of headers of these pieces */
#define LOGIN_MAX 4096

enum { LOGIN, HOST };
static const struct cli_option options[] = {
	[LOGIN] = { "login", "FILE", "the keys of [sink http] that say who asks, KEY = VALUE" },
	[HOST]  = { "host",  "HOST", "only records of HOST; \"*\" and \"?\" match" },
};
static const struct cli cli = {
	.program = "nodometer-fetch", .operands = "URL", CLI_OPTIONS(options),
	.about = "Gets records out of ClickHouse for nodometer report, jobs, plot and cat --from,\n"
		 "which start it: the request and the answer go through standard input.",
	.page = "nodometer-fetch(8)",
};

static const struct key login_keys[] = { HTTPS_KEYS(0) };

struct head {
	char *host, *id, *text;
};

struct fetch {
	const char *url, *pattern;	/* .pattern: of hosts, NULL: all */
	struct engine engine;
	struct answer_request q;
	struct spans spans;
	int64_t deadline_ns;
	struct head *head;	/* of the pieces that are asked for */
	size_t n_heads, cap_heads, head_bytes;
	struct buf host, header;	/* of the last record */
	bool named;		/* the host was, as it has a record */
	int64_t usec, line;
	struct buf out;
	uint64_t bytes, lost;	/* lost: records of which the header is not there */
	struct buf why;
};

static int send_frame(struct fetch *f, enum answer_frame kind, struct str bytes)
{
	return frame_send(STDIN_FILENO, (char)kind, bytes, f->deadline_ns);
}

static int send_data(struct fetch *f)
{
	f->bytes += f->out.n;
	if (f->bytes > ANSWER_BYTES_MAX) {
		buf_addf(&f->why, "more than %llu MB: name a job, a host or a time",
			 ANSWER_BYTES_MAX >> 20);
		return -EFBIG;
	}
	int r = frame_send_all(STDIN_FILENO, ANSWER_DATA, buf_str(&f->out), f->deadline_ns);
	f->out.n = 0;
	return r;
}

static bool is_wanted(const struct fetch *f, struct str host)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	if (!f->pattern)
		return true;
	buf_addf(&name, STR_FMT "%c", STR_ARG(host), '\0');
	return fnmatch(f->pattern, name.p, 0) == 0 ||
	       archive_is_same_host(host, str_of(f->pattern));
}

static int take_span(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	return is_wanted(f, v[0].text) ?
		spans_add(&f->spans, v[0].text, v[1].number, v[2].number) : 0;
}

static int take_head(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	f->head_bytes += v[2].text.n + sizeof(*f->head);
	if (f->head_bytes > HEADS_MAX)
		return -EFBIG;
	f->head = vec_reserve(f->head, &f->cap_heads, f->n_heads + 1, sizeof(*f->head));
	f->head[f->n_heads++] = (struct head){ xstrdup(v[0].text), xstrdup(v[1].text),
					       xstrdup(v[2].text) };
	return 0;
}

static void forget_heads(struct fetch *f)
{
	for (size_t i = 0; i < f->n_heads; i++) {
		free(f->head[i].host);
		free(f->head[i].id);
		free(f->head[i].text);
	}
	f->n_heads = f->head_bytes = 0;
}

/* Without rows, types that no row has are no part of it. */
static void put_head(struct fetch *f, struct str text)
{
	struct str line;
	while (str_take_line(&text, &line))
		if (f->q.rows || str_peek(line) != '!')
			buf_addf(&f->out, STR_FMT "\n", STR_ARG(line));
}

/* False: it is not there. */
static bool add_head(struct fetch *f, const struct row_value *v)
{
	for (size_t i = 0; i < f->n_heads; i++) {
		const struct head *h = &f->head[i];
		if (!str_eq(str_of(h->host), v[RECORD_HOST].text) ||
		    !str_eq(str_of(h->id), v[RECORD_HEADER].text))
			continue;
		put_head(f, str_of(h->text));
		f->header.n = 0;
		buf_add(&f->header, v[RECORD_HEADER].text);
		return true;
	}
	return false;
}

/* The blank line says that the last record is whole. */
static int end_host(struct fetch *f)
{
	if (f->named)
		buf_add_char(&f->out, '\n');
	return send_data(f);
}

static int begin_host(struct fetch *f, struct str host)
{
	int r = end_host(f);
	f->named = false;
	f->host.n = f->header.n = 0;
	buf_add(&f->host, host);
	return r;
}

static int send_host(struct fetch *f)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	answer_put_host(&b, f->usec / 1000000, buf_str(&f->host));
	f->named = true;
	return b.n > FRAME_MAX ? -EBADMSG : send_frame(f, ANSWER_HOST, buf_str(&b));
}

/* A record that came twice is there once. */
static int take_record(void *arg, const struct row_value *v)
{
	struct fetch *f = arg;
	bool other = !str_eq(v[RECORD_HOST].text, buf_str(&f->host));
	int r = other ? begin_host(f, v[RECORD_HOST].text) : 0;
	if (r < 0 || (!other && f->usec == v[RECORD_USEC].number &&
		      f->line == v[RECORD_LINE].number))
		return r;
	f->usec = v[RECORD_USEC].number;
	f->line = v[RECORD_LINE].number;
	bool due = v[RECORD_RESTART].number ||
		   !str_eq(v[RECORD_HEADER].text, buf_str(&f->header));
	if (due && !add_head(f, v)) {
		f->lost++;
		return 0;
	}
	buf_add(&f->out, v[RECORD_MARKS].text);
	buf_add(&f->out, v[RECORD_ROWS].text);
	r = f->named ? 0 : send_host(f);
	return r < 0 || f->out.n < FRAME_MAX ? r : send_data(f);
}

static int ask(struct fetch *f, const struct buf *query, const char *columns,
	       int (*take)(void *arg, const struct row_value *v))
{
	const struct row_taker to = { columns, take, f };
	return engine_ask(&f->engine, buf_str(query), &to, &f->why);
}

static int get_pieces(struct fetch *f, const struct span *piece, size_t n)
{
	struct buf heads CLEANUP(buf_free) = { 0 }, records CLEANUP(buf_free) = { 0 };
	query_put_heads(&heads, &f->spans, piece, n);
	query_put_records(&records, &f->spans, piece, n);
	int r = ask(f, &heads, HEADS_COLUMNS, take_head);
	if (r == 0)
		r = ask(f, &records, RECORDS_COLUMNS, take_record);
	forget_heads(f);
	return r;
}

static int get_records(struct fetch *f)
{
	struct buf query CLEANUP(buf_free) = { 0 };
	struct span piece[PIECES];
	int64_t done = INT64_MIN;
	size_t at = 0, n;
	f->spans = (struct spans){ .q = &f->q, .near = HOUR_US };
	query_put_spans(&query, &f->q, f->q.job.n ? MONTH_US : HOUR_US);
	int r = ask(f, &query, SPANS_COLUMNS, take_span);
	while (r == 0 && (n = spans_next(&f->spans, &at, &done, f->q.rows ? PIECE_US : MARKS_US,
					 piece, PIECES)))
		r = get_pieces(f, piece, n);
	return r == 0 ? end_host(f) : r;
}

static const char *explain(int e)
{
	return e == -EBADMSG ? "what it sends are no records; are its tables those of "
			       "clickhouse.sql?" :
	       e == -EFBIG ? "too much for one answer: name a job, a host or a time" :
	       strerror(-e);
}

static int send_end(struct fetch *f, int e)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (e < 0 && !f->why.n)
		buf_addf(&f->why, "%s", explain(e));
	if (e == 0 && f->lost)
		buf_addf(&f->why, "%llu records are left out: their header is not there",
			 (unsigned long long)f->lost);
	answer_put_end(&b, e == 0, buf_str(&f->why));
	return send_frame(f, ANSWER_END, (struct str){ b.p, b.n < FRAME_MAX ? b.n : FRAME_MAX });
}

/* A line KEY = VALUE. */
static int take_login(struct str line, struct https_keys *keys, struct buf *why)
{
	char value[KEY_TEXT_MAX], name[64];
	struct str head;
	const struct key *k = NULL;
	if (str_take_until(&line, '=', &head) && str_copy(name, sizeof(name), str_trim(head)) &&
	    str_copy(value, sizeof(value), str_trim(line)))
		k = key_find(login_keys, ARRAY_SIZE(login_keys), name);
	if (!k)
		buf_addf(why, "want lines KEY = VALUE, with keys of [sink http] that say who asks");
	return k && key_set(k, keys, value, why) ? 0 : -EINVAL;
}

static int read_login(const char *path, struct https_keys *keys, struct buf *why)
{
	char text[LOGIN_MAX];
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
			r = take_login(line, keys, why);
	}
	if (r == 0)
		why->n = 0;
	return r;
}

/* Name servers, certificates and secrets can be read from here on, and no file is written. */
static int confine_to(const struct https_keys *k)
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

static int receive_request(struct fetch *f, struct buf *b)
{
	char kind;
	int r = frame_receive(STDIN_FILENO, &kind, b, ANSWER_REQUEST_MAX, f->deadline_ns);
	if (r < 0)
		return r;
	return kind == ANSWER_REQUEST ? answer_take_request(buf_str(b), &f->q) : -EBADMSG;
}

static int fetch(struct fetch *f, const char *login)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct https_keys keys = { .user = "" };
	int r = receive_request(f, &text);
	if (r == 0)
		r = send_frame(f, ANSWER_ARCHIVE, str_of(f->url));
	if (r < 0) {
		log_error("standard input: %s; nodometer report --from starts this program",
			  strerror(-r));
		return r;
	}
	r = login ? read_login(login, &keys, &f->why) : 0;
	if (r == 0)
		r = engine_open(&f->engine, &keys, f->url, &f->why);
	if (r == 0)
		r = confine_to(&keys);
	if (r == 0)
		r = get_records(f);
	return send_end(f, r);
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
		return cli_misused(&cli, "takes one URL");
	f.url = argv[optind];
	f.deadline_ns = monotonic_ns() + FETCH_S * SECOND_NS;
	alarm(FETCH_S + 1);
	int r = fetch(&f, login);
	engine_close(&f.engine);
	spans_free(&f.spans);
	free(f.head);
	buf_free(&f.host);
	buf_free(&f.header);
	buf_free(&f.out);
	buf_free(&f.why);
	return r < 0 ? CLI_FAILED : CLI_OK;
}
