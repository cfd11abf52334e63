/* SPDX-License-Identifier: BSD-3-Clause */
/* http.c - send records by HTTP POST, in any encoding of formats/line/ */
#include "sinks/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/listener.h"
#include "formats/clickhouse.h"
#include "formats/line/rates.h"
#include "sinks/https.h"
#include "sinks/line_of.h"
#include "sinks/squeeze.h"
#include "sinks/url.h"

/* size of the body, in bytes, at which http_put_record() asks for a flush */
#define FLUSH_BYTES (4u << 20)
#define URLS_MAX    4
/* timeout of http_probe() for all receivers together, in nanoseconds; see send/connect.c */
#define PROBE_NS    4000000000

struct http_sink {
	char urls[KEY_TEXT_MAX], format[KEY_TEXT_MAX], compress[KEY_TEXT_MAX];
	struct https_keys https_keys;

	/* the URLs of the receivers as strings, in the order of the key */
	struct buf url[URLS_MAX];
	size_t n_urls, receiver;	/* number of URLs; index of the URL in use */
	bool is_unanswered;		/* the receiver in use gave no answer to the last body */
	int64_t probe_ends_ns;		/* in http_probe(): time to give up the receiver in use */

	const struct line_encoder *encoder;
	const struct squeeze *squeeze;	/* the compression, or NULL */
	const struct sink_node *sink_node;
	struct line_node node;
	struct rates rates;
	struct line_label label[LINE_LABELS_MAX];
	struct https *https;
	struct buf body;	/* all records put so far */
	bool lines;		/* true: the body has lines of a file, not encoded records */
	size_t *end, n, cap;	/* end offset of each record in body */

	/* state of http_flush(); .n_refused and .last_accepted are kept for the next call */
	bool has_accepted;		/* the receiver has accepted a record */
	/* number of records refused one by one since the last accepted record */
	size_t n_refused_run;
	size_t n_decided;		/* number of records up to the last accepted record */
	/* number of refused records among n_decided; kept until everything is delivered */
	size_t n_refused;
	/*
	 * body with the last accepted record, to test whether the receiver still accepts this body
	 */
	struct buf last_accepted;
};

#define AT(field) offsetof(struct http_sink, field)
static const struct key keys[] = {
	{ "url", KEY_TEXT, AT(urls),
	  .help = "URL for POST, with its query: https://vm.example.org/write; or several for "
		  "failover" },
	{ "format", KEY_TEXT, AT(format), .usual = "influx",
	  .help = SINK_ENCODINGS },
	{ "compress", KEY_TEXT, AT(compress), .usual = "gzip",
	  .help = "gzip: InfluxDB, VictoriaMetrics, ClickHouse and OTLP take it; zstd, or no" },
	HTTPS_KEYS(AT(https_keys)),
};

/*
 * Check the key "compress". Its default, gzip, is valid without zlib, too: bodies are then sent
 * uncompressed.
 */
static bool http_compress_is_valid(const struct http_sink *h, struct buf *why)
{
	const struct squeeze *s = squeeze_find(str_of(h->compress));
	if (strcmp(h->compress, "no") == 0 || (s && (s->put || strcmp(s->name, "gzip") == 0)))
		return true;
	buf_addf(why, "compress = %s: %s", h->compress,
		 s ? "this build has no library for it" : "expected gzip, zstd or no");
	return false;
}

static int http_check_urls(const struct http_sink *h, struct buf *why)
{
	struct str rest = str_of(h->urls), word;
	size_t n = 0;
	int r = 0;
	while (r == 0 && str_take_word(&rest, &word)) {
		struct buf url CLEANUP(buf_free) = { 0 };
		buf_addf(&url, STR_FMT "%c", STR_ARG(word), '\0');
		/* the URL before this word contains a blank: show the whole value of the key */
		if (n && !memmem(word.p, word.n, "://", 3)) {
			r = https_check(&h->https_keys, "url", h->urls, why);
			return r < 0 ? r : -EINVAL;
		}
		r = https_check(&h->https_keys, "url", url.p, why);
		if (r == 0 && ++n > URLS_MAX) {
			buf_addf(why, "url: more than %d URLs", URLS_MAX);
			r = -EINVAL;
		}
	}
	return r;
}

static int http_check(void *state, struct buf *why)
{
	struct http_sink *h = state;
	if (!str_trim(str_of(h->urls)).n)
		buf_addf(why, "url is not set");
	else if (!line_encoder_find(str_of(h->format)))
		buf_addf(why, "format = %s: unknown format; \"nodometer cat --help\" lists the "
			 "formats", h->format);
	else if (http_compress_is_valid(h, why))
		return http_check_urls(h, why);
	return -EINVAL;
}

/* Return the URL of the receiver in use. */
static const char *http_url(const struct http_sink *h)
{
	return h->url[h->receiver].p;
}

static void http_open_urls(struct http_sink *h)
{
	struct str rest = str_of(h->urls), word;
	while (h->n_urls < URLS_MAX && str_take_word(&rest, &word))
		buf_addf(&h->url[h->n_urls++], STR_FMT "%c", STR_ARG(word), '\0');
}

/* If there are several receivers, show in status and metrics which one is in use. */
static void http_note_receiver(const struct http_sink *h, bool is_failover)
{
	const struct sink_node *n = h->sink_node;
	if (h->n_urls < 2 || !n->receiver)
		return;
	*n->receiver = h->receiver + 1;
	*n->failovers += is_failover;
}

static bool http_wants_whole_records(const void *state)
{
	const struct http_sink *h = state;
	const struct line_encoder *e = line_encoder_find(str_of(h->format));
	return e && e->whole;
}

static int http_open(void *state, const struct sink_node *node, struct buf *why)
{
	struct http_sink *h = state;
	(void)why;
	h->sink_node = node;
	h->node = line_of(node, h->label, &h->rates);
	h->encoder = line_encoder_find(str_of(h->format));
	h->squeeze = h->encoder->snappy ? &squeeze_snappy : squeeze_find(str_of(h->compress));
	if (h->squeeze && !h->squeeze->put)
		h->squeeze = NULL;
	h->https = https_open(&h->https_keys, node->retry_after_s);
	http_open_urls(h);
	http_note_receiver(h, false);
	return 0;
}

static int http_end_record(struct http_sink *h)
{
	h->end = vec_reserve(h->end, &h->cap, h->n + 1, sizeof(*h->end));
	h->end[h->n++] = h->body.n;
	return h->body.n >= FLUSH_BYTES;
}

static int http_put_record(void *state, const struct record *r, struct buf *why)
{
	struct http_sink *h = state;
	(void)why;
	/* write a head for each record, so that a refused record does not affect others */
	if (h->encoder->head)
		h->encoder->head(&h->body, &h->node, r);
	h->encoder->put(&h->body, &h->node, r);
	return http_end_record(h);
}

static int http_put_line(void *state, struct str line, struct buf *why)
{
	struct http_sink *h = state;
	(void)why;
	h->lines = true;
	buf_add(&h->body, line);
	buf_add_char(&h->body, '\n');
	return http_end_record(h);
}

/* Return the offset of record i in h->body. */
static size_t http_record_start(const struct http_sink *h, size_t i)
{
	return i ? h->end[i - 1] : 0;
}

/* Encode n records, starting with record `first`, as one request body. */
static void http_make_body(const struct http_sink *h, size_t first, size_t n, struct buf *to)
{
	struct buf plain CLEANUP(buf_free) = { 0 };
	size_t from = http_record_start(h, first);
	if (h->encoder->begin && !h->lines)
		h->encoder->begin(&plain);
	buf_add(&plain, (struct str){ h->body.p + from, h->end[first + n - 1] - from });
	if (h->encoder->end && !h->lines)
		h->encoder->end(&plain);
	if (h->squeeze)
		h->squeeze->put(to, buf_str(&plain));
	else
		buf_add(to, buf_str(&plain));
}

/* Return true while http_probe() may wait for this receiver. */
static bool http_is_in_time(void *arg)
{
	const struct http_sink *h = arg;
	return monotonic_ns() < h->probe_ends_ns;
}

/* Send one body. Returns the HTTP status, or -errno. */
static int http_post(struct http_sink *h, struct str body, struct buf *why)
{
	char type[128], encoding[64];
	const char *headers[4] = { type };
	size_t n = 1;
	snprintf(type, sizeof(type), "Content-Type: %s",
		 h->lines ? "application/x-ndjson" : h->encoder->content_type);
	if (h->encoder->header)
		headers[n++] = h->encoder->header;
	if (h->squeeze) {
		snprintf(encoding, sizeof(encoding), "Content-Encoding: %s", h->squeeze->name);
		headers[n++] = encoding;
	}
	const struct https_request q = {
		.method = "POST", .url = http_url(h), .headers = headers, .fd = -1, .n = body.n,
		.body = body.p, .arg = h, .is_wanted = h->probe_ends_ns ? http_is_in_time : NULL,
	};
	int status = https_do(h->https, &q, why);
	if (status >= 0)
		*h->sink_node->sent += body.n;
	return status;
}

/*
 * Return how many records a receiver may refuse in a row before http_flush() gives up. With each
 * failed http_flush() the limit doubles, from 1 to 64, and then starts at 1 again, so that a
 * receiver that refuses everything gets few requests.
 */
static size_t http_refusals_max(const struct http_sink *h)
{
	return (size_t)1 << h->sink_node->place->tries % 7;
}

/*
 * Return true if the answer names the age of a sample as the fault. Prometheus answers 500 "too old
 * sample" beyond its out_of_order_time_window. Other answers of 500 are failures of the receiver.
 */
static bool http_names_age(struct str answer)
{
	return memmem(answer.p, answer.n, "too old sample", 14);
}

/*
 * Return true if the receiver refuses this body for its content or size, so that sending it again
 * is useless.
 */
static bool http_is_refusal(int status, struct str answer)
{
	return status == 400 || status == 413 || status == 422 ||
	       (status == 500 && http_names_age(answer));
}

/*
 * Return true if the receiver did not answer. Status 502, 503 or 504 comes from a proxy whose
 * receiver is down, or from a receiver that is starting or stopping.
 */
static bool http_is_unanswered(int status)
{
	return status < 0 || (status >= 502 && status <= 504);
}

/*
 * Note that n records, starting with record `first`, were accepted. The receiver works, so the
 * records before them that were refused one by one now count as refused for ever.
 */
static void http_note_accepted(struct http_sink *h, size_t first, size_t n)
{
	size_t last = first + n - 1;
	while (h->end[last] == http_record_start(h, last))
		last--;
	h->last_accepted.n = 0;
	http_make_body(h, last, 1, &h->last_accepted);
	h->has_accepted = true;
	h->n_refused += h->n_refused_run;
	h->n_refused_run = 0;
	h->n_decided = first + n;
}

/*
 * Send the body with the last accepted record again. Returns true if the receiver still accepts
 * this body: then it refuses later records for their content, not because of its configuration or
 * our certificate.
 */
static bool http_still_accepts(struct http_sink *h)
{
	struct buf answer CLEANUP(buf_free) = { 0 };
	return h->last_accepted.n && http_post(h, buf_str(&h->last_accepted), &answer) / 100 == 2;
}

/*
 * Send n records, starting with record `first`, as one body. Returns 0 if the receiver accepts the
 * body, 1 if it refuses the body, or -errno.
 */
static int http_try_body(struct http_sink *h, size_t first, size_t n, struct buf *why)
{
	struct buf body CLEANUP(buf_free) = { 0 }, answer CLEANUP(buf_free) = { 0 };
	if (h->end[first + n - 1] == http_record_start(h, first))
		return 0;	/* none of these records has any output in this encoding */
	http_make_body(h, first, n, &body);
	int status = http_post(h, buf_str(&body), &answer);
	h->is_unanswered = http_is_unanswered(status);
	if (status / 100 == 2) {
		http_note_accepted(h, first, n);
		return 0;
	}
	why->n = 0;
	buf_add(why, buf_str(&answer));
	return status < 0 ? status : http_is_refusal(status, buf_str(&answer)) ? 1 : -EREMOTEIO;
}

/*
 * Deliver n records, starting with record `first`. Returns the number of refused records, or
 * -errno.
 *
 * A refused body is halved, and its halves are sent. Two kinds of bodies are halved without being
 * sent first. One is the second half of a refused body whose first half was accepted: the second
 * half must have the bad record. The other is a body of k records that follows k refused records:
 * the receiver would probably refuse this body, too. So one bad record of n costs at most 2 *
 * log2(n) + 1 requests, and n bad records cost log2(n) + n.
 */
static int http_deliver(struct http_sink *h, size_t first, size_t n, bool refused, struct buf *why)
{
	bool guess = !refused && h->n_refused_run >= n;
	int r = (refused || guess) && n > 1 ? 1 : http_try_body(h, first, n, why);
	if (r <= 0)
		return r;
	if (n == 1)
		return ++h->n_refused_run >= http_refusals_max(h) && !h->has_accepted ?
		       -EBADMSG : 1;
	size_t half = n / 2;
	int a = http_deliver(h, first, half, false, why);
	int b = a < 0 ? a : http_deliver(h, first + half, n - half, a == 0 && !guess, why);
	return b < 0 ? b : a + b;
}

/* Remove from the batch the records that were accepted or refused for ever. */
static void http_drop_decided(struct http_sink *h)
{
	size_t bytes = http_record_start(h, h->n_decided);
	h->body.n -= bytes;
	h->n -= h->n_decided;
	if (bytes)
		memmove(h->body.p, h->body.p + bytes, h->body.n);
	for (size_t i = 0; i < h->n; i++)
		h->end[i] = h->end[i + h->n_decided] - bytes;
}

/*
 * Deliver all buffered records to the receiver in use. Returns the same values as flush() of struct
 * sink.
 */
static int http_flush_to_receiver(struct http_sink *h, struct buf *why)
{
	bool last_try = h->sink_node->place->last_try;
	h->has_accepted = last_try;
	h->is_unanswered = false;
	h->n_refused_run = h->n_decided = 0;
	int r = h->n ? http_deliver(h, 0, h->n, false, why) : 0;
	if (r == -EBADMSG && http_still_accepts(h)) {
		h->has_accepted = true;
		h->n_refused_run = 0;
		r = http_deliver(h, 0, h->n, false, why);
	}
	if (r >= 0 && h->n_refused_run && (last_try || http_still_accepts(h))) {
		h->n_refused += h->n_refused_run;
		h->n_refused_run = 0;
	}
	if (r < 0 || h->n_refused_run) {
		http_drop_decided(h);
		return r < 0 ? r : -EBADMSG;
	}
	r = (int)h->n_refused;
	h->n_refused = h->n = h->body.n = 0;
	return r;
}

/* Append the reason why one receiver failed to the reasons of the others. */
static void http_add_reason(struct buf *all, const struct buf *why)
{
	buf_addf(all, "%s" STR_FMT, all->n ? "; " : "", STR_ARG(buf_str(why)));
}

/*
 * Deliver everything that was put. If a receiver does not answer, the next receiver gets all
 * records that were neither accepted nor refused for ever, in order. If no receiver answers, the
 * next call starts with the same receiver again.
 */
static int http_flush(void *state, struct buf *why)
{
	struct http_sink *h = state;
	struct buf reasons CLEANUP(buf_free) = { 0 };
	size_t first = h->receiver;
	int r = http_flush_to_receiver(h, why);
	for (size_t i = 1; h->is_unanswered && i < h->n_urls; i++) {
		http_add_reason(&reasons, why);
		why->n = 0;
		h->receiver = (h->receiver + 1) % h->n_urls;
		r = http_flush_to_receiver(h, why);
	}
	if (h->is_unanswered && reasons.n) {
		http_add_reason(&reasons, why);
		why->n = 0;
		buf_add(why, buf_str(&reasons));
		h->receiver = first;
	} else if (reasons.n) {
		say_warning(h->sink_node->listener, "[sink http] " STR_FMT "; records now go to %s",
			    STR_ARG(buf_str(&reasons)), http_url(h));
		http_note_receiver(h, true);
	}
	return r;
}

/*
 * Append to `table` the name of the table in the URL, and to `url` the URL without its INSERT
 * query.
 */
static bool http_take_table(const struct http_sink *h, struct buf *table, struct buf *url)
{
	struct buf query CLEANUP(buf_free) = { 0 }, rest CLEANUP(buf_free) = { 0 };

	return url_get_query(&query, http_url(h)) == 0 &&
	       clickhouse_take_query(str_of(query.p), table, &rest) &&
	       url_set_query(url, http_url(h), rest.p) == 0;
}

static int http_query_held(void *state, int64_t since, int64_t until, struct buf *lines,
			   struct buf *why)
{
	static const char *const headers[] = { "Content-Type: text/plain", NULL };
	struct http_sink *h = state;
	struct buf table CLEANUP(buf_free) = { 0 }, url CLEANUP(buf_free) = { 0 };
	struct buf query CLEANUP(buf_free) = { 0 };
	if (strcmp(h->encoder->name, "jsonl") != 0 ||
	    !http_take_table(h, &table, &url)) {
		buf_addf(why, "only ClickHouse can be audited: set format = jsonl, and a url with "
			 "query=INSERT+INTO+TABLE+FORMAT+JSONEachRow");
		return -EOPNOTSUPP;
	}
	clickhouse_put_query(&query, table.p, h->node.host, since, until);
	const struct https_request q = { "POST", url.p, headers, -1, query.n, query.p, lines };
	int status = https_do(h->https, &q, why);
	buf_add_char(lines, '\0');
	lines->n--;
	return status < 0 ? status : status / 100 == 2 ? 0 : -EREMOTEIO;
}

/*
 * Send an empty body, which makes the receiver store nothing. A receiver that refuses this body
 * counts as reached.
 */
static int http_probe_receiver(struct http_sink *h, struct buf *said)
{
	int status = http_post(h, STR(""), said);
	if (status == -ECANCELED) {
		said->n = 0;
		buf_addf(said, "%s: no answer in time", http_url(h));
	}
	if (status < 0)
		return status;
	/* the probe has an empty body: 411 and 415 reject only its length and its type */
	if (http_is_refusal(status, STR("")) || status == 411 || status == 415) {
		said->n = 0;
		buf_addf(said, "%s: answers %d to an empty body", http_url(h), status);
		return 0;
	}
	if (status / 100 == 2)
		buf_addf(said, "%s: answers %d", http_url(h), status);
	else
		https_put_advice(status, said);
	return status / 100 == 2 ? 0 : -EREMOTEIO;
}

/* Test all receivers. Fails if any receiver fails, because then failover would not work. */
static int http_probe(void *state, const struct sink_node *node, struct buf *said)
{
	struct http_sink *h = state;
	int r = http_open(state, node, said);
	if (r < 0)
		return r;
	h->squeeze = NULL;
	for (h->receiver = 0; h->receiver < h->n_urls; h->receiver++) {
		struct buf one CLEANUP(buf_free) = { 0 };
		if (h->n_urls > 1)
			h->probe_ends_ns = monotonic_ns() + PROBE_NS / (int64_t)h->n_urls;
		int e = http_probe_receiver(h, &one);
		http_add_reason(said, &one);
		r = e < 0 ? e : r;
	}
	return r;
}

static void http_close(void *state)
{
	struct http_sink *h = state;
	https_close(h->https);
	for (size_t i = 0; i < h->n_urls; i++)
		buf_free(&h->url[i]);
	buf_free(&h->body);
	buf_free(&h->last_accepted);
	rates_free(&h->rates);
	free(h->end);
}

const struct sink http_sink = {
	.name     = "http",
	.about    = "POST records by HTTP: VictoriaMetrics, InfluxDB, ClickHouse, ...",
	.size     = sizeof(struct http_sink),
	.unfolded = true,
	.whole    = http_wants_whole_records,
	.check    = http_check, .open = http_open,
	.put      = http_put_record, .put_line = http_put_line,
	.flush    = http_flush, .held = http_query_held, .probe = http_probe, .close = http_close,
	SINK_KEYS(keys),
};
