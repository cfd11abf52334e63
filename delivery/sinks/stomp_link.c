/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp_link.c - send messages to a STOMP 1.2 broker, and wait for receipts, with libcurl */
#include "sinks/stomp_link.h"

#include <errno.h>
#include <stdio.h>
#include "sinks/https.h"
#include "sinks/reason.h"

int stomp_keys_check(const struct stomp_keys *k, struct buf *why)
{
#ifndef HAVE_CURL
	buf_addf(why, "this build has no libcurl");
	return -EINVAL;
#endif
	if (!broker_keys_check(&k->at, why))
		return -EINVAL;
	if (k->destination[0] != '/')
		buf_addf(why, "destination = %s: expected /queue/NAME or /topic/NAME",
			 k->destination);
	else if (!sink_has_half_certificate(k->at.cert_file, k->at.key_file, why))
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
#define LOGIN_S     30
#define TRANSFER_S  60	/* timeout of a transfer, plus 1 s for each BYTES_PER_S of the messages */
#define BYTES_PER_S (64u << 10)
#define NS_PER_S    INT64_C(1000000000)

struct stomp_link {
	const struct stomp_keys *keys;
	CURL *curl;
	struct buf in, out;
	int64_t deadline_ns;
	bool open;		/* the login succeeded */
	uint64_t before;	/* number of receipts that earlier calls have requested */
	bool *confirmed;	/* n flags, for receipts before + 1 to before + n */
	size_t n, left, cap;
	char error[CURL_ERROR_SIZE];
};

static int stomp_report_curl(const struct stomp_link *l, CURLcode e, struct buf *why)
{
	buf_addf(why, "%s: ", l->keys->at.broker);
	reason_put_error(why, str_of(l->error[0] ? l->error : curl_easy_strerror(e)));
	return e == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -EIO;
}

static int stomp_report_frame(const struct stomp_link *l, const struct stomp_frame *f,
			      struct buf *why)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	if (!stomp_add_header(&text, f, STR("message")))
		buf_add(&text, f->command);
	buf_addf(why, "%s: the broker says: %.*s", l->keys->at.broker,
		 (int)(text.n < 200 ? text.n : 200), text.p ? text.p : "");
	return -EREMOTEIO;
}

static int stomp_report_malformed(const struct stomp_link *l, struct buf *why)
{
	/* the bytes received are a TLS record of type alert (RFC 8446, 5.1) */
	bool tls_alert = str_starts(buf_str(&l->in), STR("\x15\x03"));
	buf_addf(why, "%s: the answer is not STOMP%s", l->keys->at.broker,
		 tls_alert ? ": plain text sent to a TLS port; see tls" : "");
	return -EPROTO;
}

/*
 * Wait until the socket is ready or l->deadline_ns has passed. The deadline covers the whole call
 * of stomp_link_open() or stomp_link_deliver(), so that a broker cannot extend it by sending single
 * bytes.
 */
static int stomp_wait_ready(const struct stomp_link *l, short events, struct buf *why)
{
	int64_t ms = (l->deadline_ns - monotonic_ns()) / 1000000;
	curl_socket_t fd = CURL_SOCKET_BAD;
	curl_easy_getinfo(l->curl, CURLINFO_ACTIVESOCKET, &fd);
	struct pollfd p = { .fd = fd, .events = events };
	if (ms > 0 && (poll(&p, 1, (int)ms) > 0 || monotonic_ns() < l->deadline_ns))
		return 0;
	buf_addf(why, "%s: no answer in time", l->keys->at.broker);
	return -ETIMEDOUT;
}

/*
 * Append the bytes that have arrived to l->in. Returns 0, also if none arrived, or -errno and why.
 */
static int stomp_read_available(struct stomp_link *l, struct buf *why)
{
	for (;;) {
		size_t got = 0;
		buf_reserve(&l->in, 4096);
		CURLcode e = curl_easy_recv(l->curl, l->in.p + l->in.n, 4096, &got);
		if (e == CURLE_AGAIN)
			return 0;
		if (e == CURLE_OK && got == 0) {
			buf_addf(why, "%s: the broker hung up%s", l->keys->at.broker,
				 l->open || l->keys->at.tls ? "" :
				 "; was plain text sent to a TLS port?");
			return -EPIPE;
		}
		if (e != CURLE_OK)
			return stomp_report_curl(l, e, why);
		l->in.n += got;
		if (l->in.n > STOMP_FRAME_MAX)
			return 0;
	}
}

static void stomp_confirm(struct stomp_link *l, const struct stomp_frame *f)
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

static int stomp_handle_frame(struct stomp_link *l, const struct stomp_frame *f, struct buf *why)
{
	if (!l->open && str_eq(f->command, STR("CONNECTED"))) {
		l->open = true;
		return 0;
	}
	if (!l->open || !str_eq(f->command, STR("RECEIPT")))
		return stomp_report_frame(l, f, why);
	stomp_confirm(l, f);
	return 0;
}

static int stomp_handle_frames(struct stomp_link *l, struct buf *why)
{
	struct str in = buf_str(&l->in);
	struct stomp_frame f;
	int r, e = 0;
	while (e == 0 && (r = stomp_take(&in, &f)) > 0)
		e = stomp_handle_frame(l, &f, why);
	if (e == 0 && r < 0)
		return stomp_report_malformed(l, why);
	if (in.n)
		memmove(l->in.p, in.p, in.n);
	l->in.n = in.n;
	return e;
}

static int stomp_receive(struct stomp_link *l, struct buf *why)
{
	int r = stomp_read_available(l, why);
	/* read frames received before a hang-up: one may give the reason */
	int e = stomp_handle_frames(l, why);
	return e < 0 ? e : r;
}

/*
 * Send l->out. While sending, read the broker's answers, because a broker whose answers are not
 * read may stop reading, too.
 */
static int stomp_send_pending(struct stomp_link *l, struct buf *why)
{
	struct str rest = buf_str(&l->out);
	int r = 0;
	while (r == 0 && rest.n) {
		size_t sent = 0;
		CURLcode e = curl_easy_send(l->curl, rest.p, rest.n, &sent);
		if (e == CURLE_AGAIN) {
			r = stomp_wait_ready(l, POLLIN | POLLOUT, why);
			r = r < 0 ? r : stomp_receive(l, why);
			continue;
		}
		if (e != CURLE_OK)
			return stomp_report_curl(l, e, why);
		rest = str_skip(rest, sent);
	}
	l->out.n = 0;
	return r;
}

/* Connect to the broker. libcurl only opens the connection and sets up TLS; it sends nothing. */
static int stomp_dial(struct stomp_link *l, struct buf *why)
{
	const struct stomp_keys *k = l->keys;
	char host[KEY_TEXT_MAX] = "";
	struct https_peer peer = { host, 0, k->at.tls, k->at.ca_file, k->at.cert_file,
				   k->at.key_file };
	(void)broker_take(k->at.broker, k->at.tls ? PORT_TLS : PORT_PLAIN, host, sizeof(host),
			  &peer.port);
	curl_easy_setopt(l->curl, CURLOPT_ERRORBUFFER, l->error);
	int r = https_set_peer(l->curl, &peer, why);
	if (r < 0)
		return r;
	CURLcode e = curl_easy_perform(l->curl);
	return e == CURLE_OK ? 0 : stomp_report_curl(l, e, why);
}

static int stomp_log_in(struct stomp_link *l, struct buf *why)
{
	const struct stomp_keys *k = l->keys;
	struct buf password CLEANUP(buf_free) = { 0 };
	int r = sink_read_secret(k->at.password_file, &password, why);
	if (r < 0)
		return r;
	stomp_begin(&l->out, "CONNECT");
	stomp_put_header(&l->out, "accept-version", STR("1.2"), true);
	stomp_put_header(&l->out, "host", str_of(k->vhost), true);
	stomp_put_header(&l->out, "heart-beat", STR("0,0"), true);
	stomp_put_header(&l->out, "login", str_of(k->at.user), true);
	stomp_put_header(&l->out, "passcode", buf_str(&password), true);
	stomp_end(&l->out, STR(""));
	l->deadline_ns = monotonic_ns() + LOGIN_S * NS_PER_S;
	r = stomp_send_pending(l, why);
	while (r == 0 && !l->open) {
		r = stomp_receive(l, why);
		if (r == 0 && !l->open)
			r = stomp_wait_ready(l, POLLIN, why);
	}
	return r;
}

int stomp_link_open(const struct stomp_keys *k, struct stomp_link **ret, struct buf *why)
{
	struct stomp_link *l = xrealloc(NULL, sizeof(*l));
	*l = (struct stomp_link){ .keys = k, .curl = curl_easy_init() };
	if (!l->curl)
		abort();
	int r = stomp_dial(l, why);
	if (r == 0)
		r = stomp_log_in(l, why);
	if (r == 0)
		*ret = l;
	else
		stomp_link_close(l);
	return r;
}

/* Close the connection. Do not wait for an answer to DISCONNECT: all receipts have arrived. */
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

static void stomp_put_message(struct stomp_link *l, const struct messages *m, size_t i)
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
	l->deadline_ns = monotonic_ns() +
			 (TRANSFER_S + (int64_t)(m->text.n / BYTES_PER_S)) * NS_PER_S;
	for (size_t i = 0; r == 0 && i < m->n; i++) {
		stomp_put_message(l, m, i);
		r = stomp_send_pending(l, why);
	}
	while (r == 0 && l->left) {
		r = stomp_receive(l, why);
		if (r == 0 && l->left)
			r = stomp_wait_ready(l, POLLIN, why);
	}
	l->before += m->n;
	return r;
}
#endif
