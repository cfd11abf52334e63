/* SPDX-License-Identifier: BSD-3-Clause */
/* https.h - requests by libcurl that end in bounded time, and who they say they are from */
#pragma once

#include <sys/types.h>
#include "base/keys.h"

/* A sink's keys for HTTPS, HTTPS_KEYS(offsetof(struct x, https)). */
struct https_keys {
	char ca_file[KEY_TEXT_MAX], cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX];
	char token_file[KEY_TEXT_MAX], user[KEY_TEXT_MAX], password_file[KEY_TEXT_MAX];
	char proxy[KEY_TEXT_MAX], headers[KEY_TEXT_MAX];
};
#define HTTPS_KEY(name, kind, field, at, text) \
	{ (name), (kind), (at) + offsetof(struct https_keys, field), .help = (text) }
#define HTTPS_KEYS(at) \
	HTTPS_KEY("ca-file", KEY_PATH_OR_NOTHING, ca_file, at, \
		  "certificates that are trusted; by default the system's"), \
	HTTPS_KEY("cert-file", KEY_PATH_OR_NOTHING, cert_file, at, "the client's certificate"), \
	HTTPS_KEY("key-file", KEY_SECRET, key_file, at, "and its key"), \
	HTTPS_KEY("token-file", KEY_SECRET, token_file, at, "a bearer token"), \
	HTTPS_KEY("user", KEY_TEXT, user, at, "for basic authentication"), \
	HTTPS_KEY("password-file", KEY_SECRET, password_file, at, "and its password"), \
	HTTPS_KEY("proxy", KEY_TEXT, proxy, at, "the URL of a proxy"), \
	HTTPS_KEY("headers", KEY_TEXT, headers, at, \
		  "NAME=VALUE ..., with each request, as X-Scope-OrgID=hpc")

struct https;

/*
 * Of a handle of libcurl: whom it trusts and who it is, unless they are "". Files are read at each
 * connect: they may be replaced. 0, or -errno and why: see sink_secret_path().
 */
int https_set_certificates(void *curl, const char *ca_file, const char *cert_file,
			   const char *key_file, struct buf *why) MUST_CHECK;

/* Whether keys and a URL go together, before any use of them: 0, or -EINVAL and why. */
int https_check(const struct https_keys *k, const char *url, struct buf *why) MUST_CHECK;
/*
 * NULL: built without libcurl. The keys stay valid. *rest_s gets the seconds of Retry-After of each
 * answer, 0 where it has none.
 */
struct https *https_open(const struct https_keys *k, uint64_t *rest_s);
void https_close(struct https *h);	/* NULL is fine */

struct curl_slist;

/*
 * Of a handle of libcurl: it ends in bounded time, follows no redirection, and speaks HTTP alone. A
 * request has a limit of its own, too.
 */
void https_set_limits(void *curl);
/*
 * Of a handle of libcurl: its requests are signed as "aws:amz:REGION:s3" says, by its user and
 * password. Of a body nothing is signed: it is under TLS. *headers gets what says so. 0, or
 * -EOPNOTSUPP and why: older libraries do not sign that header.
 */
int https_set_signature(void *curl, const char *as, struct curl_slist **headers,
			struct buf *why) MUST_CHECK;

struct https_request {
	const char *method, *url;
	const char *const *headers;	/* "Name: value", NULL after the last, or NULL */
	int fd;				/* the body from its begin, or -1 */
	uint64_t n;			/* bytes of it */
	const char *body;		/* without .fd, or NULL */
	struct buf *answer;		/* gets a whole one of 2xx, up to 64 MB; or NULL */
	/* Or NULL: gets one of 2xx in pieces, of any size; false: no more is wanted, -EIO. */
	bool (*take)(void *arg, struct str piece);
	void *arg;
	const char *sign;	/* by user and password, "aws:amz:REGION:s3" for S3; or NULL */
};

/*
 * The status of the answer, of which the first line is in why where it is no 2xx; or -errno and
 * why. A peer that says nothing for 30 s is given up, one that drips after a minute
 * and a second for each 64 KB of the body, after 10 s one that cannot be reached; with .take after
 * 5 minutes and 10, since an engine may search for long.
 */
int https_do(struct https *h, const struct https_request *q, struct buf *why) MUST_CHECK;
