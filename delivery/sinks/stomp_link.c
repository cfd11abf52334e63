/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp_link.c - a connection to a broker of STOMP 1.2 by libcurl, which has a receipt for all */
#include "sinks/stomp_link.h"

#include <errno.h>
#include <stdio.h>
#include "sinks/https.h"

int stomp_keys_check(const struct stomp_keys *k, struct buf *why)
{
#ifndef HAVE_CURL
	buf_addf(why, "this build has no libcurl");
	return -EINVAL;
#endif
	if (!broker_keys_check(k->broker, k->user, k->password_file, why))
		return -EINVAL;
	if (strpbrk(k->broker, "/@?# "))	/* a URL has it, see dial() */
		buf_addf(why, "broker = %s: want HOST or HOST:PORT", k->broker);
	else if (k->destination[0] != '/')
		buf_addf(why, "destination = %s: want /queue/NAME or /topic/NAME", k->destination);
	else if (!sink_has_half_certificate(k->cert_file, k->key_file, why))
		return 0;
	return -EINVAL;
}

#ifndef HAVE_CURL
int stomp_link_open(const struct stomp_keys *k, struct stomp_link **ret, struct buf *why)
{
	(void)k;
	(void)ret;
	buf_addf(why, "this build has no libcurl");
	return -EOPNOTSUPP;
}

void stomp_link_close(struct stomp_link *l)
{
	(void)l;
}

int stomp_link_deliver(struct stomp_link *l, const struct messages *m, struct buf *why)
{
	(void)l;
	(void)m;
	(void)why;
	return -EOPNOTSUPP;
}
#else
#include <curl/curl.h>
#include <poll.h>
#include <stdlib.h>
#include "base/clock.h"
#include "formats/stomp.h"

#define PORT_PLAIN  61613
#define PORT_TLS    61614
#define CONNECT_S   10
#define LOGIN_S     30
#define MOST_S      60		/* and one for each of these: */
#define BYTES_A_S   (64u << 10)
#define NS          INT64_C(1000000000)

struct stomp_link {
	const struct stomp_keys *keys;
	CURL *curl;
	struct buf in, out;
	int64_t deadline_ns;
	bool open;		/* logged in */
	uint64_t before;	/* receipts that were asked for by earlier calls */
	bool *confirmed;	/* messages of this call, by the number of their receipt */
	size_t n, left, cap;
	char error[CURL_ERROR_SIZE];
};

static int say_curl(const struct stomp_link *l, CURLcode e, struct buf *why)
{
	buf_addf(why, "%s: %s", l->keys->broker,
		 l->error[0] ? l->error : curl_easy_strerror(e));
	return e == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -EIO;
}

static int say_frame(const struct stomp_link *l, const struct stomp_frame *f, struct buf *why)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	if (!stomp_add_header(&text, f, STR("message")))
		buf_add(&text, f->command);
	buf_addf(why, "%s: the broker says: %.*s", l->keys->broker,
		 (int)(text.n < 200 ? text.n : 200), text.p ? text.p : "");
	return -EREMOTEIO;
}

static int say_broken(const struct stomp_link *l, struct buf *why)
{
	buf_addf(why, "%s: that is no STOMP", l->keys->broker);
	return -EPROTO;
}

/* The time is that of all, so that no byte now and then makes it longer. */
static int wait_for(const struct stomp_link *l, short events, struct buf *why)
{
	int64_t ms = (l->deadline_ns - monotonic_ns()) / 1000000;
	curl_socket_t fd = CURL_SOCKET_BAD;
	curl_easy_getinfo(l->curl, CURLINFO_ACTIVESOCKET, &fd);
	struct pollfd p = { .fd = fd, .events = events };
	if (ms > 0 && (poll(&p, 1, (int)ms) > 0 || monotonic_ns() < l->deadline_ns))
		return 0;
	buf_addf(why, "%s: no answer in time", l->keys->broker);
	return -ETIMEDOUT;
}

/* Adds the bytes that have come: 0, also where there are none. */
static int read_some(struct stomp_link *l, struct buf *why)
{
	for (;;) {
		size_t got = 0;
		buf_reserve(&l->in, 4096);
		CURLcode e = curl_easy_recv(l->curl, l->in.p + l->in.n, 4096, &got);
		if (e == CURLE_AGAIN)
			return 0;
		if (e == CURLE_OK && got == 0) {
			buf_addf(why, "%s: the broker hung up", l->keys->broker);
			return -EPIPE;
		}
		if (e != CURLE_OK)
			return say_curl(l, e, why);
		l->in.n += got;
		if (l->in.n > STOMP_FRAME_MAX)
			return 0;
	}
}

static void confirm(struct stomp_link *l, const struct stomp_frame *f)
{
	struct buf id CLEANUP(buf_free) = { 0 };
	struct str s;
	uint64_t n;
	stomp_add_header(&id, f, STR("receipt-id"));
	s = buf_str(&id);
	if (!str_is_u64(s) || !str_take_u64(&s, &n) || n <= l->before || n > l->before + l->n ||
	    l->confirmed[n - l->before - 1])
		return;
	l->confirmed[n - l->before - 1] = true;
	l->left--;
}

static int take_frame(struct stomp_link *l, const struct stomp_frame *f, struct buf *why)
{
	if (!l->open && str_eq(f->command, STR("CONNECTED"))) {
		l->open = true;
		return 0;
	}
	if (!l->open || !str_eq(f->command, STR("RECEIPT")))
		return say_frame(l, f, why);
	confirm(l, f);
	return 0;
}

static int take_frames(struct stomp_link *l, struct buf *why)
{
	struct str in = buf_str(&l->in);
	struct stomp_frame f;
	int r, e = 0;
	while (e == 0 && (r = stomp_take(&in, &f)) > 0)
		e = take_frame(l, &f, why);
	if (e == 0 && r < 0)
		return say_broken(l, why);
	if (in.n)
		memmove(l->in.p, in.p, in.n);
	l->in.n = in.n;
	return e;
}

static int hear(struct stomp_link *l, struct buf *why)
{
	int r = read_some(l, why);
	int e = take_frames(l, why);	/* a frame before a hang-up may say why */
	return e < 0 ? e : r;
}

/* Answers are read meanwhile: a broker that cannot send them may read no more. */
static int send_out(struct stomp_link *l, struct buf *why)
{
	struct str rest = buf_str(&l->out);
	int r = 0;
	while (r == 0 && rest.n) {
		size_t sent = 0;
		CURLcode e = curl_easy_send(l->curl, rest.p, rest.n, &sent);
		if (e == CURLE_AGAIN) {
			r = wait_for(l, POLLIN | POLLOUT, why);
			r = r < 0 ? r : hear(l, why);
			continue;
		}
		if (e != CURLE_OK)
			return say_curl(l, e, why);
		rest = str_skip(rest, sent);
	}
	l->out.n = 0;
	return r;
}

/* The URL is for libcurl, which only connects, and has TLS. */
static int dial(struct stomp_link *l, struct buf *why)
{
	const struct stomp_keys *k = l->keys;
	char host[KEY_TEXT_MAX] = "", url[KEY_TEXT_MAX + 32];
	int port = 0;
	(void)broker_take(k->broker, k->tls ? PORT_TLS : PORT_PLAIN, host, sizeof(host), &port);
	bool quoted = strchr(host, ':');	/* an address of IPv6 */
	snprintf(url, sizeof(url), "%s://%s%s%s:%d", k->tls ? "https" : "http",
		 quoted ? "[" : "", host, quoted ? "]" : "", port);
	curl_easy_setopt(l->curl, CURLOPT_URL, url);
	curl_easy_setopt(l->curl, CURLOPT_ERRORBUFFER, l->error);
	curl_easy_setopt(l->curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(l->curl, CURLOPT_SSL_ENABLE_ALPN, 0L);
	curl_easy_setopt(l->curl, CURLOPT_PROXY, "");
	curl_easy_setopt(l->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(l->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	int r = https_set_certificates(l->curl, k->ca_file, k->cert_file, k->key_file, why);
	if (r < 0)
		return r;
	CURLcode e = curl_easy_perform(l->curl);
	return e == CURLE_OK ? 0 : say_curl(l, e, why);
}

static int log_in(struct stomp_link *l, struct buf *why)
{
	const struct stomp_keys *k = l->keys;
	struct buf password CLEANUP(buf_free) = { 0 };
	int r = sink_read_secret(k->password_file, &password, why);
	if (r < 0)
		return r;
	stomp_begin(&l->out, "CONNECT");
	stomp_put_header(&l->out, "accept-version", STR("1.2"), true);
	stomp_put_header(&l->out, "host", str_of(k->vhost), true);
	stomp_put_header(&l->out, "heart-beat", STR("0,0"), true);
	stomp_put_header(&l->out, "login", str_of(k->user), true);
	stomp_put_header(&l->out, "passcode", buf_str(&password), true);
	stomp_end(&l->out, STR(""));
	l->deadline_ns = monotonic_ns() + LOGIN_S * NS;
	r = send_out(l, why);
	while (r == 0 && !l->open) {
		r = hear(l, why);
		if (r == 0 && !l->open)
			r = wait_for(l, POLLIN, why);
	}
	return r;
}

int stomp_link_open(const struct stomp_keys *k, struct stomp_link **ret, struct buf *why)
{
	struct stomp_link *l = xrealloc(NULL, sizeof(*l));
	*l = (struct stomp_link){ .keys = k, .curl = curl_easy_init() };
	if (!l->curl)
		abort();
	int r = dial(l, why);
	if (r == 0)
		r = log_in(l, why);
	if (r == 0)
		*ret = l;
	else
		stomp_link_close(l);
	return r;
}

/* All receipts are here: the broker need not answer to the end. */
void stomp_link_close(struct stomp_link *l)
{
	size_t sent;
	if (!l)
		return;
	if (l->open)
		curl_easy_send(l->curl, "DISCONNECT\n\n", sizeof("DISCONNECT\n\n"), &sent);
	curl_easy_cleanup(l->curl);
	buf_free(&l->in);
	buf_free(&l->out);
	free(l->confirmed);
	free(l);
}

static void put_message(struct stomp_link *l, const struct messages *m, size_t i)
{
	struct str body = messages_get(m, i);
	char number[24];
	stomp_begin(&l->out, "SEND");
	stomp_put_header(&l->out, "destination", str_of(l->keys->destination), false);
	stomp_put_header(&l->out, "content-type", str_of(m->encoder->content_type), false);
	stomp_put_header(&l->out, "persistent", STR("true"), false);
	snprintf(number, sizeof(number), "%zu", body.n);
	stomp_put_header(&l->out, "content-length", str_of(number), false);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)(l->before + i + 1));
	stomp_put_header(&l->out, "receipt", str_of(number), false);
	stomp_end(&l->out, body);
}

int stomp_link_deliver(struct stomp_link *l, const struct messages *m, struct buf *why)
{
	int r = 0;
	l->confirmed = vec_reserve(l->confirmed, &l->cap, m->n, sizeof(*l->confirmed));
	memset(l->confirmed, 0, m->n * sizeof(*l->confirmed));
	l->n = l->left = m->n;
	l->deadline_ns = monotonic_ns() + (MOST_S + (int64_t)(m->text.n / BYTES_A_S)) * NS;
	for (size_t i = 0; r == 0 && i < m->n; i++) {
		put_message(l, m, i);
		r = send_out(l, why);
	}
	while (r == 0 && l->left) {
		r = hear(l, why);
		if (r == 0 && l->left)
			r = wait_for(l, POLLIN, why);
	}
	l->before += m->n;
	return r;
}
#endif
