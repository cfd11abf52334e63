/* SPDX-License-Identifier: BSD-3-Clause */
/* https.c - requests by libcurl that end in bounded time, and who they say they are from */
#include "sinks/https.h"

#include <ctype.h>
#include <errno.h>
#include "sinks/sink.h"

/* Takes "Name: value" off a list of NAME=VALUE; a name is a token of RFC 9110, 5.6.2. */
static bool take_header(struct str *list, struct buf *header)
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

static bool headers_are_right(const char *headers, struct buf *why)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct str list = str_trim(str_of(headers));
	while (list.n) {
		if (!take_header(&list, &header)) {
			buf_addf(why, "headers = %s: want NAME=VALUE ..., without blanks in them",
				 headers);
			return false;
		}
		list = str_trim(list);
	}
	return true;
}

int https_check(const struct https_keys *k, const char *url, struct buf *why)
{
	struct str u = str_of(url);
#ifndef HAVE_CURL
	buf_addf(why, "url: this build has no libcurl");
	return -EINVAL;
#endif
	bool tls = str_starts(u, STR("https://"));
	if (!tls && !str_starts(u, STR("http://")))
		buf_addf(why, "url = %s: want https://...", url);
	else if (!tls && (k->token_file[0] || k->password_file[0]))
		buf_addf(why, "url = %s: a token or a password needs https://", url);
	else if (sink_has_half_certificate(k->cert_file, k->key_file, why) ||
		 sink_has_half_login(k->user, k->password_file, why))
		return -EINVAL;
	else if (k->user[0] && k->token_file[0])
		buf_addf(why, "token-file and user: want one of them");
	else if (headers_are_right(k->headers, why))
		return 0;
	return -EINVAL;
}

#ifndef HAVE_CURL
struct https *https_open(const struct https_keys *k, uint64_t *rest_s)
{
	(void)k;
	(void)rest_s;
	return NULL;
}

void https_close(struct https *h)
{
	(void)h;
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

#define CONNECT_S   10
#define SILENT_S    30
#define SEARCH_S    300
#define MOST_S      60		/* and one for each of these: */
#define BYTES_A_S   (64u << 10)
#define ANSWER_MAX  512		/* of an answer, so much is kept */
#define ANSWER_MOST (1u << 20)	/* and more than this is garbage, */
#define ASKED_MOST  (64u << 20)	/* or this where the answer is wanted */

struct https {
	const struct https_keys *keys;
	uint64_t *rest_s;
	CURLSH *kept;	/* connections and TLS sessions */
	CURL *curl;	/* of one request: what a server sent is never used in the next one */
	char error[CURL_ERROR_SIZE];

	/* Of one request. */
	int fd;
	uint64_t at, n, answered;
	char answer[ANSWER_MAX];
	size_t n_answer;
	const struct https_request *request;
};

struct https *https_open(const struct https_keys *k, uint64_t *rest_s)
{
	struct https *h = xrealloc(NULL, sizeof(*h));
	*h = (struct https){ .keys = k, .rest_s = rest_s, .kept = curl_share_init(), .fd = -1 };
	if (!h->kept)
		abort();
	curl_share_setopt(h->kept, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	curl_share_setopt(h->kept, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	return h;
}

void https_close(struct https *h)
{
	if (!h)
		return;
	curl_share_cleanup(h->kept);
	free(h);
}

static size_t read_body(char *to, size_t size, size_t n, void *arg)
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

/* A kept connection was closed meanwhile: the body goes again. */
static int seek_body(void *arg, curl_off_t to, int from)
{
	struct https *h = arg;
	if (from != SEEK_SET || to < 0 || (uint64_t)to > h->n)
		return CURL_SEEKFUNC_FAIL;
	h->at = (uint64_t)to;
	return CURL_SEEKFUNC_OK;
}

static bool is_success(const struct https *h)
{
	long status = 0;
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	return status / 100 == 2;
}

static size_t take_answer(char *p, size_t size, size_t n, void *arg)
{
	struct https *h = arg;
	const struct https_request *q = h->request;
	size_t bytes = size * n, room = sizeof(h->answer) - h->n_answer;
	size_t kept = bytes < room ? bytes : room;
	memcpy(h->answer + h->n_answer, p, kept);
	h->n_answer += kept;
	h->answered += bytes;
	if (q->take && is_success(h))
		return q->take(q->arg, (struct str){ p, bytes }) ? bytes : 0;
	if (h->answered > (q->answer ? ASKED_MOST : ANSWER_MOST))
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
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static int set_secret(struct https *h, const char *file, CURLoption option, struct buf *why)
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

/* Read each time: files may be replaced. */
static int set_identity(struct https *h, struct buf *why)
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
	r = set_secret(h, k->password_file, CURLOPT_PASSWORD, why);
	return r < 0 ? r : set_secret(h, k->token_file, CURLOPT_XOAUTH2_BEARER, why);
}

static void set_body(struct https *h, const struct https_request *q)
{
	long most_s = MOST_S + (long)(q->n / BYTES_A_S);
	h->fd = q->fd;
	h->n = q->n;
	h->at = h->answered = h->n_answer = 0;
	h->request = q;
	if (q->fd >= 0) {
		curl_easy_setopt(h->curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(h->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)q->n);
		curl_easy_setopt(h->curl, CURLOPT_READFUNCTION, read_body);
		curl_easy_setopt(h->curl, CURLOPT_READDATA, h);
		curl_easy_setopt(h->curl, CURLOPT_SEEKFUNCTION, seek_body);
		curl_easy_setopt(h->curl, CURLOPT_SEEKDATA, h);
	}
	if (q->body) {
		curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, q->body);
		curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->n);
	}
	if (q->take)
		curl_easy_setopt(h->curl, CURLOPT_LOW_SPEED_TIME, (long)SEARCH_S);
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT, q->take ? 2L * SEARCH_S : most_s);
	curl_easy_setopt(h->curl, CURLOPT_CUSTOMREQUEST, q->method);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
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
	buf_addf(why, "libcurl " LIBCURL_VERSION " signs no requests of S3: 7.86 does");
	return -EOPNOTSUPP;
#endif
}

static int perform(struct https *h, const struct https_request *q, struct buf *why)
{
	long status = 0;
	curl_off_t rest_s = 0;
	struct str answer, line = { 0 };
	CURLcode e = curl_easy_perform(h->curl);
	curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &rest_s);
	*h->rest_s = rest_s > 0 ? (uint64_t)rest_s : 0;
	if (e != CURLE_OK) {
		buf_addf(why, "%s: %s", q->url, h->error[0] ? h->error : curl_easy_strerror(e));
		return e == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -EIO;
	}
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	answer = (struct str){ h->answer, h->n_answer };
	str_take_line(&answer, &line);
	if (status / 100 != 2)
		buf_addf(why, "%s: %s answers %ld " STR_FMT, q->url, q->method, status,
			 STR_ARG(str_trim(line)));
	return (int)status;
}

/*
 * A handle of its own for each request: libcurl 7.88 unfolds a header line that begins with a blank
 * into the header before it, also where that one was of the last request and is freed.
 */
int https_do(struct https *h, const struct https_request *q, struct buf *why)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct str list = str_of(h->keys->headers);
	struct curl_slist *headers = NULL;
	h->curl = curl_easy_init();
	if (!h->curl)
		abort();
	curl_easy_setopt(h->curl, CURLOPT_SHARE, h->kept);
	h->error[0] = '\0';
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->curl, CURLOPT_URL, q->url);
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "nodometer/" PACKAGE_VERSION);
	for (size_t i = 0; q->headers && q->headers[i]; i++)
		headers = curl_slist_append(headers, q->headers[i]);
	while (take_header(&list, &header))
		headers = curl_slist_append(headers, header.p);
	if (!q->sign)	/* libcurl signs what is not sent, too */
		headers = curl_slist_append(headers, "Expect:");
	int r = q->sign ? https_set_signature(h->curl, q->sign, &headers, why) : 0;
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
	https_set_limits(h->curl);
	set_body(h, q);
	if (r == 0)
		r = set_identity(h, why);
	if (r == 0)
		r = perform(h, q, why);
	curl_easy_cleanup(h->curl);
	curl_slist_free_all(headers);
	return r;
}
#endif
