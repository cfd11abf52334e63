/* SPDX-License-Identifier: BSD-3-Clause */
/* http.c - records in any encoding of formats/line/, as bodies of HTTP POST */
#include "sinks/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/clickhouse.h"
#include "formats/line/rates.h"
#include "sinks/https.h"
#include "sinks/line_of.h"
#include "sinks/squeeze.h"

#define BODY_MAX (4u << 20)	/* then it is flushed */

struct http_sink {
	char url[KEY_TEXT_MAX], format[KEY_TEXT_MAX], compress[KEY_TEXT_MAX];
	struct https_keys https_keys;

	const struct line_encoder *encoder;
	const struct squeeze *squeeze;	/* or NULL */
	const struct sink_node *sink_node;
	struct line_node node;
	struct rates rates;
	struct line_label label[LINE_LABELS_MAX];
	struct https *https;
	struct buf body;	/* of all records that were put */
	bool lines;		/* and these are lines of a file */
	bool took;		/* flush(): the receiver took some of them, */
	size_t run;		/* and refused so many, one by one, since it last took any */
	size_t *end, n, cap;	/* where each of them ends in it */
};

#define AT(field) offsetof(struct http_sink, field)
static const struct key keys[] = {
	{ "url", KEY_TEXT, AT(url),
	  .help = "where to POST: https://vm.example.org/write, with its query" },
	{ "format", KEY_TEXT, AT(format), .usual = "influx",
	  .help = SINK_ENCODINGS },
	{ "compress", KEY_TEXT, AT(compress), .usual = "gzip",
	  .help = "gzip: InfluxDB, VictoriaMetrics, ClickHouse and OTLP take it; zstd, or no" },
	HTTPS_KEYS(AT(https_keys)),
};

/* gzip is for who has set nothing, too: without zlib, bodies go as they are. */
static bool compress_is_right(const struct http_sink *h, struct buf *why)
{
	const struct squeeze *s = squeeze_find(str_of(h->compress));
	if (strcmp(h->compress, "no") == 0 || (s && (s->put || strcmp(s->name, "gzip") == 0)))
		return true;
	buf_addf(why, "compress = %s: %s", h->compress,
		 s ? "this build has no library for it" : "want gzip, zstd or no");
	return false;
}

static int check(void *state, struct buf *why)
{
	struct http_sink *h = state;
	if (!h->url[0])
		buf_addf(why, "url is not set");
	else if (!line_encoder_find(str_of(h->format)))
		buf_addf(why, "format = %s: \"nodometer export --help\" lists them", h->format);
	else if (compress_is_right(h, why))
		return https_check(&h->https_keys, h->url, why);
	return -EINVAL;
}

static bool is_whole(const void *state)
{
	const struct http_sink *h = state;
	const struct line_encoder *e = line_encoder_find(str_of(h->format));
	return e && e->whole;
}

static int open_http(void *state, const struct sink_node *node, struct buf *why)
{
	struct http_sink *h = state;
	(void)why;
	h->sink_node = node;
	h->node = line_of(node, h->label, &h->rates);
	h->encoder = line_encoder_find(str_of(h->format));
	h->squeeze = h->encoder->snappy ? &squeeze_snappy : squeeze_find(str_of(h->compress));
	if (h->squeeze && !h->squeeze->put)
		h->squeeze = NULL;
	h->https = https_open(&h->https_keys, node->rest_s);
	return 0;
}

static int end_record(struct http_sink *h)
{
	h->end = vec_reserve(h->end, &h->cap, h->n + 1, sizeof(*h->end));
	h->end[h->n++] = h->body.n;
	return h->body.n >= BODY_MAX;
}

static int put(void *state, const struct record *r, struct buf *why)
{
	struct http_sink *h = state;
	(void)why;
	if (h->encoder->head)	/* a head for each, as a refused record takes no other with it */
		h->encoder->head(&h->body, &h->node, r);
	h->encoder->put(&h->body, &h->node, r);
	return end_record(h);
}

static int put_line(void *state, struct str line, struct buf *why)
{
	struct http_sink *h = state;
	(void)why;
	h->lines = true;
	buf_add(&h->body, line);
	buf_add_char(&h->body, '\n');
	return end_record(h);
}

/* The records from first on, n of them, as one body. */
static void make_body(const struct http_sink *h, size_t first, size_t n, struct buf *to)
{
	struct buf plain CLEANUP(buf_free) = { 0 };
	size_t from = first ? h->end[first - 1] : 0;
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

/* The status, or -errno. */
static int post(struct http_sink *h, struct str body, struct buf *why)
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
	const struct https_request q = { "POST", h->url, headers, -1, body.n, body.p, NULL };
	int status = https_do(h->https, &q, why);
	if (status >= 0)
		*h->sink_node->sent += body.n;
	return status;
}

/* Whether the receiver refuses the body itself: the same again has the same answer. */
static bool is_refused(int status)
{
	return status == 400 || status == 413 || status == 422;
}

/* 0: the receiver has n records from first on; 1: it refuses the body; or -errno. */
static int try(struct http_sink *h, size_t first, size_t n, struct buf *why)
{
	struct buf body CLEANUP(buf_free) = { 0 }, answer CLEANUP(buf_free) = { 0 };
	if (h->end[first + n - 1] == (first ? h->end[first - 1] : 0))
		return 0;	/* nothing of them is wanted */
	make_body(h, first, n, &body);
	int status = post(h, buf_str(&body), &answer);
	if (status / 100 == 2) {
		h->took = true;
		h->run = 0;
		return 0;
	}
	why->n = 0;
	buf_add(why, buf_str(&answer));
	return status < 0 ? status : is_refused(status) ? 1 : -EREMOTEIO;
}

/*
 * Of n records from first on, how many are refused for ever, or -errno. A body that is refused is
 * halved. Two are not tried: the second half where all of the first is good, and a body after as
 * many refused records as it has. So one record of n costs 2 * log2(n) + 1 requests at most, and n
 * of n cost log2(n) + n.
 */
static int deliver(struct http_sink *h, size_t first, size_t n, bool refused, struct buf *why)
{
	bool guess = !refused && h->run >= n;
	int r = (refused || guess) && n > 1 ? 1 : try(h, first, n, why);
	if (r <= 0)
		return r;
	if (n == 1) {
		h->run++;
		return h->took || h->sink_node->place->last_try ? 1 : -EBADMSG;
	}
	size_t half = n / 2;
	int a = deliver(h, first, half, false, why);
	int b = a < 0 ? a : deliver(h, first + half, n - half, a == 0 && !guess, why);
	return b < 0 ? b : a + b;
}

static int flush(void *state, struct buf *why)
{
	struct http_sink *h = state;
	h->took = false;
	h->run = 0;
	int r = h->n ? deliver(h, 0, h->n, false, why) : 0;
	if (r >= 0)
		h->n = h->body.n = 0;
	return r;
}

static int held(void *state, int64_t since, int64_t until, struct buf *lines, struct buf *why)
{
	static const char *const headers[] = { "Content-Type: text/plain", NULL };
	struct http_sink *h = state;
	struct buf table CLEANUP(buf_free) = { 0 }, url CLEANUP(buf_free) = { 0 };
	struct buf query CLEANUP(buf_free) = { 0 };
	if (strcmp(h->encoder->name, "jsonl") != 0 ||
	    !clickhouse_take_url(str_of(h->url), &table, &url)) {
		buf_addf(why, "only ClickHouse can be asked: format = jsonl, and a url with "
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

static void close_http(void *state)
{
	struct http_sink *h = state;
	https_close(h->https);
	buf_free(&h->body);
	rates_free(&h->rates);
	free(h->end);
}

const struct sink http_sink = {
	.name     = "http",
	.about    = "any of the encodings by HTTP POST: VictoriaMetrics, InfluxDB, ClickHouse, ...",
	.size     = sizeof(struct http_sink),
	.unfolded = true,
	.whole    = is_whole,
	.check    = check, .open = open_http,
	.put      = put, .put_line = put_line, .flush = flush, .held = held,
	.close    = close_http,
	SINK_KEYS(keys),
};
