/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_bench.h - feed a receiver with the monitoring datagrams of a simulated XRootD server */
#pragma once

#include <stdlib.h>
#include "xrootd/join/xrd_join.h"
#include "xrootd/lines/xrd_transfer.h"

#define START 1000u
#define MS    1000
#define NOW   ((int64_t)2000 * 1000000)
#define USER  "xroot/alice.77:42@[::1]"

/* A receiver, the text (.out) and number (.n) of its reports, and the simulated server. */
struct bench {
	struct xrd_join *join;
	struct buf out;
	size_t n;
	struct xrd_source from;
	uint32_t start;
	uint64_t sid;		/* server id in the f-stream, or 0 if there is none */
	uint8_t seq, f_seq, g_seq;
	int64_t now;
};

static inline void on_transfer(void *arg, const struct xrd_transfer *t)
{
	struct bench *b = arg;
	b->n++;
	xrd_transfer_put(&b->out, t);
}

static inline struct bench *bench_new(size_t memory)
{
	struct bench *b = calloc(1, sizeof(*b));
	assert_non_null(b);
	const struct xrd_listener to = { on_transfer, NULL, b };
	b->join = xrd_join_new(&to, memory);
	b->from.port = 1234;
	b->from.address.s6_addr[15] = 1;
	b->start = START;
	b->sid = 42;
	b->now = NOW;
	return b;
}

static inline void bench_free(struct bench *b)
{
	xrd_join_free(b->join);
	buf_free(&b->out);
	free(b);
}

static inline bool was_reported(struct bench *b, const char *text)
{
	return b->out.n && memmem(b->out.p, b->out.n, text, strlen(text));
}

static inline void expect(struct bench *b, const char *text)
{
	if (!was_reported(b, text))
		fail_msg("no %s in %.*s", text, (int)b->out.n, b->out.p ? b->out.p : "");
}

static inline struct buf map(struct bench *b, char code, uint32_t id, const char *text)
{
	const struct xrd_packet p = { .code = code, .seq = b->seq++, .start = b->start };
	const struct xrd_record r = { .kind = XRD_MAP, .id = id, .text = str_of(text) };
	struct buf d = { 0 };
	xrd_begin(&d, &p);
	xrd_put(&d, &p, &r);
	assert_int_equal(xrd_end(&d, &p), 0);
	return d;
}

static inline struct buf f_stream(struct bench *b, const struct xrd_record *r, size_t n)
{
	const struct xrd_packet p = {
		.code = 'f', .seq = b->f_seq++, .start = b->start, .has_sid = b->sid, .sid = b->sid,
		.begin = 100 + b->f_seq, .end = 110 + b->f_seq, .n_all = (uint16_t)n,
	};
	struct buf d = { 0 };
	xrd_begin(&d, &p);
	for (size_t i = 0; i < n; i++)
		xrd_put(&d, &p, &r[i]);
	assert_int_equal(xrd_end(&d, &p), 0);
	return d;
}

static const struct xrd_record opened = {
	.kind = XRD_OPEN, .flags = XRD_HAS_LFN, .id = 8, .size = 5000, .user = 7,
	.text = { "/store/a/b.root", 15 },
};
static const struct xrd_record moved = { .kind = XRD_XFR, .id = 8, .read = 900 };
static const struct xrd_record closed = {
	.kind = XRD_CLOSE, .flags = XRD_HAS_OPS | XRD_HAS_SSQ, .id = 8,
	.read = 1000, .readv = 600, .write = 0,
	.ops = { .read = 2, .readv = 1, .read_min = 400, .read_max = 600, .readv_min = 600,
		 .readv_max = 600, .segments = 3, .segments_min = 3, .segments_max = 3 },
	.ssq = { 400 * 400 + 600 * 600, 600 * 600, 9, 0 },
};
static const struct xrd_record left = { .kind = XRD_DISC, .id = 7 };

static inline void hand(struct bench *b, struct buf d)
{
	xrd_join_add(b->join, &b->from, buf_str(&d), b->now);
	buf_free(&d);
}

/* Send a datagram of the t-stream: n records between two window records. */
static inline void hand_t(struct bench *b, const struct xrd_record *r, size_t n)
{
	const struct xrd_packet p = { .code = 't', .seq = b->seq++, .start = b->start };
	const struct xrd_record window = { .kind = XRD_WINDOW, .sid = 42,
					   .window_end = 110u + b->seq,
					   .window_begin = 100 };
	struct buf d = { 0 };
	xrd_begin(&d, &p);
	xrd_put(&d, &p, &window);
	for (size_t i = 0; i < n; i++)
		xrd_put(&d, &p, &r[i]);
	xrd_put(&d, &p, &window);
	assert_int_equal(xrd_end(&d, &p), 0);
	hand(b, d);
}

/* Send one line of the g-stream. */
static inline void hand_g(struct bench *b, char provider, const char *line)
{
	const struct xrd_packet p = { .code = 'g', .seq = b->g_seq++, .start = b->start,
				      .has_sid = true, .sid = 42, .begin = 99 + b->g_seq,
				      .end = 110,
				      .provider = provider };
	const struct xrd_record r = { .kind = XRD_LINE, .text = str_of(line) };
	struct buf d = { 0 };
	xrd_begin(&d, &p);
	xrd_put(&d, &p, &r);
	assert_int_equal(xrd_end(&d, &p), 0);
	hand(b, d);
}

static inline void hand_f(struct bench *b, struct xrd_record r)
{
	hand(b, f_stream(b, &r, 1));
}

static inline void identify(struct bench *b)
{
	hand(b, map(b, '=', 0, "=/xrootd.5:42@srv.example.org\n&site=S&port=1094&inst=i&pgm=xrootd"
				"&ver=v5.5.3"));
}

static inline void log_in(struct bench *b)
{
	hand(b, map(b, 'u', 7, USER "\n&p=gsi&n=/CN=A&h=[::1]&o=cms cms&r=prod&g=&m=&R=&x=cp"
				"&y=&I=6"));
}

static inline void wait_for(struct bench *b, int64_t ms)
{
	b->now += ms * MS;
	xrd_join_tick(b->join, b->now);
}
