/* SPDX-License-Identifier: BSD-3-Clause */
/* https.c - send HTTP requests with timeouts, using libcurl and a sink's login and certificates */
#include "sinks/https.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include "sinks/reason.h"
#include "sinks/sink.h"
#include "sinks/url.h"

/*
 * Take the first NAME=VALUE off the list, and set the header to "NAME: VALUE". A name is a token
 * (RFC 9110, 5.6.2).
 */
static bool https_take_header(struct str *list, struct buf *header)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";
	struct str word, name;
	if (!str_take_word(list, &word) || !str_take_until(&word, '=', &name) || !name.n)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) &&
		    !memchr(marks, name.p[i], sizeof(marks) - 1))
			return false;
	header->n = 0;
	buf_addf(header, STR_FMT ": " STR_FMT "%c", STR_ARG(name), STR_ARG(word), '\0');
	return true;
}

/*
 * Return true if the header describes the connection or the length of the body (RFC 9110, 7.6.1 and
 * 8.6). Such a header from the configuration would contradict what libcurl sends.
 */
static bool https_is_of_connection(struct str header, struct str *name)
{
	static const char *const names[] = {
		"Connection", "Content-Length", "Expect", "Keep-Alive", "Proxy-Connection", "TE",
		"Trailer", "Transfer-Encoding", "Upgrade",
	};
	if (!str_take_until(&header, ':', name))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == name->n && strncasecmp(names[i], name->p, name->n) == 0)
			return true;
	return false;
}

static bool https_headers_are_valid(const char *headers, struct buf *why)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct str list = str_trim(str_of(headers)), name;
	while (list.n) {
		if (!https_take_header(&list, &header)) {
			buf_addf(why, "headers = %s: expected NAME=VALUE ..., without blanks in "
				 "names or values", headers);
			return false;
		}
		if (https_is_of_connection(buf_str(&header), &name)) {
			buf_addf(why, "headers = %s: " STR_FMT " is set by libcurl: remove it",
				 headers, STR_ARG(name));
			return false;
		}
		list = str_trim(list);
	}
	return true;
}

/* Return the URL to show in a message, or a placeholder if the URL may have a password in it. */
static const char *https_shown(const char *url)
{
	return strchr(url, '@') ? "(not shown)" : url;
}

static bool https_urls_are_valid(const struct https_keys *k, const char *key, const char *url,
				 bool *tls, struct buf *why)
{
	struct buf fault CLEANUP(buf_free) = { 0 };
	int r = url_check(url, tls, &fault);

	if (r == -EACCES)
		buf_addf(why, "%s: " STR_FMT "; set user and password-file", key,
			 STR_ARG(buf_str(&fault)));
	else if (r < 0)
		buf_addf(why, "%s = %s: " STR_FMT, key, https_shown(url), STR_ARG(buf_str(&fault)));
	if (r < 0 || !k->proxy[0])
		return r == 0;
	r = url_check_proxy(k->proxy, &fault);
	if (r == -EACCES)
		buf_addf(why, "proxy: " STR_FMT "; set https_proxy in the sender's environment",
			 STR_ARG(buf_str(&fault)));
	else if (r < 0)
		buf_addf(why, "proxy = %s: " STR_FMT, https_shown(k->proxy),
			 STR_ARG(buf_str(&fault)));
	return r == 0;
}

int https_check(const struct https_keys *k, const char *key, const char *url, struct buf *why)
{
	bool tls = false;
#ifndef HAVE_CURL
	buf_addf(why, "%s: this build has no libcurl", key);
	return -EINVAL;
#endif
	if (!https_urls_are_valid(k, key, url, &tls, why))
		return -EINVAL;
	if (!tls && (k->token_file[0] || k->password_file[0]))
		buf_addf(why, "%s = %s: a token or a password needs https://", key, url);
	else if (sink_has_half_certificate(k->cert_file, k->key_file, why) ||
		 sink_has_half_login(k->user, k->password_file, why))
		return -EINVAL;
	else if (k->user[0] && k->token_file[0])
		buf_addf(why, "token-file and user: set only one of them");
	else if (https_headers_are_valid(k->headers, why))
		return 0;
	return -EINVAL;
}

void https_put_advice(int status, struct buf *why)
{
	if (status == 401 || status == 403)
		buf_addf(why, "; check user and password-file, token-file, cert-file or headers");
	else if (status == 404 || status / 100 == 3)
		buf_addf(why, "; check the path of url");
}

#ifndef HAVE_CURL
struct https *https_open(const struct https_keys *k, uint64_t *retry_after_s)
{
	(void)k;
	(void)retry_after_s;
	return NULL;
}

void https_close(struct https *h)
{
	(void)h;
}

bool https_explain_tls(const struct https_peer *p, struct buf *why)
{
	(void)p;
	(void)why;
	return false;
}

int https_do(struct https *h, const struct https_request *q, struct buf *why)
{
	(void)h;
	(void)q;
	buf_addf(why, "this build has no libcurl");
	return -EOPNOTSUPP;
}
#else
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_S         10
#define IDLE_S            30
#define QUERY_IDLE_S      300
/* timeout of a request, plus 1 s for each BYTES_PER_S of the body */
#define TRANSFER_S        60
#define BYTES_PER_S       (64u << 10)
#define ANSWER_KEPT_BYTES 4096	/* bytes of an answer kept for messages */
/* limit of an error's text in bytes; a longer text ends the request */
#define ANSWER_BYTES_MAX  (1u << 20)
/* the limit of an answer's body in bytes, if the caller wants the body */
#define WANTED_BYTES_MAX  (64u << 20)

struct https {
	const struct https_keys *keys;
	uint64_t *retry_after_s;
	CURLSH *shared;	/* connections and TLS sessions shared by all requests */
	CURL *curl;	/* handle of the current request; see https_do() */
	char error[CURL_ERROR_SIZE];

	/* state of the current request */
	int fd;
	uint64_t at, n, answered;
	char answer[ANSWER_KEPT_BYTES];
	size_t n_answer;
	bool by_proxy;	/* the proxy answered, not the receiver */
	const struct https_request *request;
};

struct https *https_open(const struct https_keys *k, uint64_t *retry_after_s)
{
	struct https *h = xrealloc(NULL, sizeof(*h));
	*h = (struct https){
		.keys = k, .retry_after_s = retry_after_s, .shared = curl_share_init(), .fd = -1,
	};
	if (!h->shared)
		abort();
	curl_share_setopt(h->shared, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	curl_share_setopt(h->shared, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	return h;
}

void https_close(struct https *h)
{
	if (!h)
		return;
	curl_share_cleanup(h->shared);
	free(h);
}

static size_t https_read_body(char *to, size_t size, size_t n, void *arg)
{
	struct https *h = arg;
	uint64_t left = h->n - h->at;
	size_t most = size * n < left ? size * n : (size_t)left;
	ssize_t got = most ? pread(h->fd, to, most, (off_t)h->at) : 0;
	if (got < 0 || (most && got == 0))
		return CURL_READFUNC_ABORT;
	h->at += (size_t)got;
	return (size_t)got;
}

/* Rewind the body. libcurl sends the body again if the server has closed a kept connection. */
static int https_seek_body(void *arg, curl_off_t to, int from)
{
	struct https *h = arg;
	if (from != SEEK_SET || to < 0 || (uint64_t)to > h->n)
		return CURL_SEEKFUNC_FAIL;
	h->at = (uint64_t)to;
	return CURL_SEEKFUNC_OK;
}

static bool https_is_success(const struct https *h)
{
	long status = 0;
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	return status / 100 == 2;
}

/* Set .by_proxy if a header shows an error of a proxy; RFC 9209 defines Proxy-Status. */
static size_t https_on_header(char *p, size_t size, size_t n, void *arg)
{
	struct https *h = arg;
	char line[256];
	str_copy(line, sizeof(line), (struct str){ p, size * n });
	if (strncasecmp(line, "HTTP/", 5) == 0)
		h->by_proxy = false;	/* a new answer begins */
	else if (strncasecmp(line, "X-Squid-Error:", 14) == 0 ||
		 strncasecmp(line, "Proxy-Authenticate:", 19) == 0 ||
		 (strncasecmp(line, "Proxy-Status:", 13) == 0 && strstr(line, "error=")))
		h->by_proxy = true;
	return size * n;
}

static size_t https_on_answer(char *p, size_t size, size_t n, void *arg)
{
	struct https *h = arg;
	const struct https_request *q = h->request;
	size_t bytes = size * n, room = sizeof(h->answer) - h->n_answer;
	size_t kept = bytes < room ? bytes : room;
	memcpy(h->answer + h->n_answer, p, kept);
	h->n_answer += kept;
	h->answered += bytes;
	if (q->take && https_is_success(h))
		return q->take(q->arg, (struct str){ p, bytes }) ? bytes : 0;
	if (!q->answer && https_is_success(h))
		return bytes;	/* the request succeeded, and the caller does not want the body */
	if (h->answered > (q->answer ? WANTED_BYTES_MAX : ANSWER_BYTES_MAX))
		return 0;
	if (q->answer)
		buf_add(q->answer, (struct str){ p, bytes });
	return bytes;
}

void https_set_limits(void *c)
{
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)IDLE_S);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075000	/* older versions cannot limit a connection's lifetime */
	curl_easy_setopt(c, CURLOPT_MAXLIFETIME_CONN, (long)CONNECTION_LIFE_S);
#endif
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static int https_set_secret(struct https *h, const char *file, CURLoption option, struct buf *why)
{
	struct buf secret CLEANUP(buf_free) = { 0 };
	if (!file[0])
		return 0;
	int r = sink_read_secret(file, &secret, why);
	if (r == 0)
		curl_easy_setopt(h->curl, option, secret.p);
	return r;
}

int https_set_certificates(void *curl, const char *ca_file, const char *cert_file,
			   const char *key_file, struct buf *why)
{
	struct buf key CLEANUP(buf_free) = { 0 };
	if (ca_file[0])
		curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file);
	if (!cert_file[0])
		return 0;
	int r = sink_secret_path(key_file, &key, why);
	if (r < 0)
		return r;
	curl_easy_setopt(curl, CURLOPT_SSLCERT, cert_file);
	curl_easy_setopt(curl, CURLOPT_SSLKEY, key.p);
	return 0;
}

int https_set_peer(void *curl, const struct https_peer *p, struct buf *why)
{
	char url[KEY_TEXT_MAX + 32];
	bool quoted = strchr(p->host, ':');	/* the host is an IPv6 address */
	snprintf(url, sizeof(url), "%s://%s%s%s:%d", p->tls ? "https" : "http",
		 quoted ? "[" : "", p->host, quoted ? "]" : "", p->port);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(curl, CURLOPT_SSL_ENABLE_ALPN, 0L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	return https_set_certificates(curl, p->ca_file, p->cert_file, p->key_file, why);
}

bool https_explain_tls(const struct https_peer *p, struct buf *why)
{
	struct buf unused CLEANUP(buf_free) = { 0 };
	struct https_peer by_tls = *p;
	char error[CURL_ERROR_SIZE] = "";
	CURL *curl = curl_easy_init();
	if (!curl)
		abort();
	by_tls.tls = true;
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	int r = https_set_peer(curl, &by_tls, &unused);
	CURLcode e = r < 0 ? CURLE_FAILED_INIT : curl_easy_perform(curl);
	curl_easy_cleanup(curl);
	bool speaks_tls = e == CURLE_OK || e == CURLE_PEER_FAILED_VERIFICATION;
	if (!p->tls && speaks_tls)
		buf_addf(why, "plain text sent to a TLS port; see tls");
	else if (p->tls && (e == CURLE_PEER_FAILED_VERIFICATION || e == CURLE_SSL_CONNECT_ERROR))
		reason_put_error(why, str_of(error));
	else
		return false;
	return true;
}

/*
 * Set certificates, login and proxy. Reads the files at each request, because they may be replaced.
 */
static int https_set_identity(struct https *h, struct buf *why)
{
	const struct https_keys *k = h->keys;
	int r = https_set_certificates(h->curl, k->ca_file, k->cert_file, k->key_file, why);
	if (r < 0)
		return r;
	if (k->proxy[0])
		curl_easy_setopt(h->curl, CURLOPT_PROXY, k->proxy);
	if (k->user[0])
		curl_easy_setopt(h->curl, CURLOPT_USERNAME, k->user);
	if (k->token_file[0])
		curl_easy_setopt(h->curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
	r = https_set_secret(h, k->password_file, CURLOPT_PASSWORD, why);
	return r < 0 ? r : https_set_secret(h, k->token_file, CURLOPT_XOAUTH2_BEARER, why);
}

static int https_is_unwanted(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct https_request *q = arg;

	(void)a, (void)b, (void)c, (void)d;
	return !q->is_wanted(q->arg);
}

static void https_set_body(struct https *h, const struct https_request *q)
{
	long most_s = TRANSFER_S + (long)(q->n / BYTES_PER_S);
	h->fd = q->fd;
	h->n = q->n;
	h->at = h->answered = h->n_answer = 0;
	h->by_proxy = false;
	h->request = q;
	if (q->fd >= 0) {
		curl_easy_setopt(h->curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(h->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)q->n);
		curl_easy_setopt(h->curl, CURLOPT_READFUNCTION, https_read_body);
		curl_easy_setopt(h->curl, CURLOPT_READDATA, h);
		curl_easy_setopt(h->curl, CURLOPT_SEEKFUNCTION, https_seek_body);
		curl_easy_setopt(h->curl, CURLOPT_SEEKDATA, h);
	}
	if (q->body) {
		curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, q->body);
		curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->n);
	}
	if (q->take)
		curl_easy_setopt(h->curl, CURLOPT_LOW_SPEED_TIME, (long)QUERY_IDLE_S);
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT, q->take ? 2L * QUERY_IDLE_S : most_s);
	if (q->is_wanted) {
		curl_easy_setopt(h->curl, CURLOPT_XFERINFOFUNCTION, https_is_unwanted);
		curl_easy_setopt(h->curl, CURLOPT_XFERINFODATA, (void *)q);
		curl_easy_setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
	}
	curl_easy_setopt(h->curl, CURLOPT_CUSTOMREQUEST, q->method);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, https_on_answer);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(h->curl, CURLOPT_HEADERFUNCTION, https_on_header);
	curl_easy_setopt(h->curl, CURLOPT_HEADERDATA, h);
}

int https_set_signature(void *curl, const char *as, struct curl_slist **headers, struct buf *why)
{
#if LIBCURL_VERSION_NUM >= 0x075600
	(void)why;
	curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, as);
	*headers = curl_slist_append(*headers, "x-amz-content-sha256: UNSIGNED-PAYLOAD");
	return 0;
#else
	(void)curl, (void)as, (void)headers;
	buf_addf(why, "libcurl " LIBCURL_VERSION " cannot sign S3 requests; use version 7.86 or "
		 "later");
	return -EOPNOTSUPP;
#endif
}

static const char *https_proxy_name(const struct https *h)
{
	return h->keys->proxy[0] ? h->keys->proxy : "of the environment";
}

/* Append why a request had no answer. If a proxy refused to open a tunnel, name the proxy. */
static void https_report_error(const struct https *h, const struct https_request *q, CURLcode e,
			       struct buf *why)
{
	const char *text = h->error[0] ? h->error : curl_easy_strerror(e);
	long tunnel = 0;
	curl_easy_getinfo(h->curl, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	buf_addf(why, "%s: ", q->url);
	if (tunnel && tunnel / 100 != 2)
		buf_addf(why, "the proxy %s answers CONNECT with %ld: ", https_proxy_name(h),
			 tunnel);
	else if (h->keys->proxy[0] && !tunnel)
		buf_addf(why, "through proxy %s: ", h->keys->proxy);
	reason_put_error(why, str_of(text));
	if (e == CURLE_GOT_NOTHING && str_starts(str_of(q->url), STR("http://")))
		buf_addf(why, "; was plain HTTP sent to a TLS port?");
}

/*
 * Append the text of an answer whose status is no success, as one line, and the target of a
 * redirection.
 */
static void https_report_answer(const struct https *h, const struct https_request *q, long status,
				struct buf *why)
{
	const char *target = NULL;
	curl_easy_getinfo(h->curl, CURLINFO_REDIRECT_URL, &target);
	buf_addf(why, "%s: ", q->url);
	if (status == 407 || h->by_proxy)
		buf_addf(why, "the proxy %s answers %s with %ld ", https_proxy_name(h), q->method,
			 status);
	else
		buf_addf(why, "%s answers %ld ", q->method, status);
	if (target)
		buf_addf(why, "and redirects to %s ", target);
	reason_put_error(why, (struct str){ h->answer, h->n_answer });
	while (why->p[why->n - 1] == ' ')
		why->n--;
}

static int https_perform(struct https *h, const struct https_request *q, struct buf *why)
{
	long status = 0;
	curl_off_t retry_after_s = 0;
	CURLcode e = curl_easy_perform(h->curl);
	curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &retry_after_s);
	*h->retry_after_s = retry_after_s > 0 ? (uint64_t)retry_after_s : 0;
	if (e != CURLE_OK) {
		https_report_error(h, q, e, why);
		return e == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT :
		       e == CURLE_ABORTED_BY_CALLBACK ? -ECANCELED : -EIO;
	}
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status / 100 != 2)
		https_report_answer(h, q, status, why);
	return (int)status;
}

/*
 * Send a request. Use a new handle for each request: libcurl 7.88 joins a header line that begins
 * with a blank to the header before it, even if that header belongs to the previous request and is
 * freed.
 */
int https_do(struct https *h, const struct https_request *q, struct buf *why)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct str list = str_of(h->keys->headers);
	struct curl_slist *headers = NULL;
	h->curl = curl_easy_init();
	if (!h->curl)
		abort();
	curl_easy_setopt(h->curl, CURLOPT_SHARE, h->shared);
	h->error[0] = '\0';
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->curl, CURLOPT_URL, q->url);
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "nodometer/" PACKAGE_VERSION);
	for (size_t i = 0; q->headers && q->headers[i]; i++)
		headers = curl_slist_append(headers, q->headers[i]);
	while (https_take_header(&list, &header))
		headers = curl_slist_append(headers, header.p);
	if (!q->sign)	/* with "Expect:", libcurl would sign a header that it does not send */
		headers = curl_slist_append(headers, "Expect:");
	int r = q->sign ? https_set_signature(h->curl, q->sign, &headers, why) : 0;
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
	https_set_limits(h->curl);
	https_set_body(h, q);
	if (r == 0)
		r = https_set_identity(h, why);
	if (r == 0)
		r = https_perform(h, q, why);
	curl_easy_cleanup(h->curl);
	curl_slist_free_all(headers);
	return r;
}
#endif
