/* SPDX-License-Identifier: BSD-3-Clause */
/* https.h - send HTTP requests with timeouts, using libcurl and a sink's login and certificates */
#pragma once

#include <sys/types.h>
#include "base/keys.h"

/*
 * The keys of a sink that uses HTTPS. Add HTTPS_KEYS(offsetof(struct x, https)) to the sink's keys.
 */
struct https_keys {
	char ca_file[KEY_TEXT_MAX], cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX];
	char token_file[KEY_TEXT_MAX], user[KEY_TEXT_MAX], password_file[KEY_TEXT_MAX];
	char proxy[KEY_TEXT_MAX], headers[KEY_TEXT_MAX];
};
#define HTTPS_KEY(name, kind, field, at, text) \
	{ (name), (kind), (at) + offsetof(struct https_keys, field), .help = (text) }
#define HTTPS_KEYS(at) \
	HTTPS_KEY("ca-file", KEY_PATH_OR_NOTHING, ca_file, at, \
		  "file of trusted certificates (default: the system's)"), \
	HTTPS_KEY("cert-file", KEY_PATH_OR_NOTHING, cert_file, at, \
			"file of the client's certificate"), \
	HTTPS_KEY("key-file", KEY_SECRET, key_file, at, "file of the certificate's key"), \
	HTTPS_KEY("token-file", KEY_SECRET, token_file, at, "file of a bearer token"), \
	HTTPS_KEY("user", KEY_TEXT, user, at, "user for basic authentication"), \
	HTTPS_KEY("password-file", KEY_SECRET, password_file, at, "file of the user's password"), \
	HTTPS_KEY("proxy", KEY_TEXT, proxy, at, "URL of a proxy"), \
	HTTPS_KEY("headers", KEY_TEXT, headers, at, \
		  "headers of each request: NAME=VALUE ..., such as X-Scope-OrgID=hpc")

struct https;

/*
 * Set the trusted certificates and the client's certificate of a libcurl handle; "" keeps libcurl's
 * default. libcurl reads the files at each connect, so they may be replaced. Returns 0, or -errno
 * and why; see sink_secret_path().
 */
int https_set_certificates(void *curl, const char *ca_file, const char *cert_file,
			   const char *key_file, struct buf *why) MUST_CHECK;

/* A server of a protocol other than HTTP, with or without TLS. A file name of "" means no file. */
struct https_peer {
	const char *host;
	int port;
	bool tls;
	const char *ca_file, *cert_file, *key_file;
};

/*
 * Prepare a libcurl handle to connect to the peer, with TLS if .tls is true, without sending a
 * request. Returns 0, or -errno and why.
 */
int https_set_peer(void *curl, const struct https_peer *p, struct buf *why) MUST_CHECK;

/*
 * After a connection to the peer has failed, repeat the TLS handshake with libcurl. If TLS is the
 * reason of the failure, append the reason in words. Returns false, and appends nothing, if the
 * reason is not TLS, or this build has no libcurl.
 */
bool https_explain_tls(const struct https_peer *p, struct buf *why);

/*
 * Check that the keys and the URL are consistent. `key` is the name of the key that has the URL.
 * Returns 0, or -EINVAL and why.
 */
int https_check(const struct https_keys *k, const char *key, const char *url,
		struct buf *why) MUST_CHECK;
/*
 * Create a client. The keys must stay valid. Each request sets *retry_after_s to the seconds of the
 * answer's header Retry-After, or 0 if there is none. Returns NULL if built without libcurl.
 */
struct https *https_open(const struct https_keys *k, uint64_t *retry_after_s);
void https_close(struct https *h);	/* h may be NULL */

struct curl_slist;

/*
 * Limit a libcurl handle: connect and idle timeouts, no redirections, and no protocols but HTTP and
 * HTTPS. The limit for a whole request is set separately.
 */
void https_set_limits(void *curl);
/*
 * Sign the requests of a libcurl handle with its user and password. `as` is "aws:amz:REGION:s3".
 * The body is not signed, because TLS protects it; a header that states this is added to *headers.
 * Returns 0, or -EOPNOTSUPP and why if libcurl is too old to sign that header.
 */
int https_set_signature(void *curl, const char *as, struct curl_slist **headers,
			struct buf *why) MUST_CHECK;

struct https_request {
	const char *method, *url;
	const char *const *headers;	/* array of "Name: value" that ends with NULL; or NULL */
	int fd;				/* file with the body, sent from its start; or -1 */
	uint64_t n;			/* bytes of the body */
	const char *body;		/* the body if fd is -1; or NULL */
	/*
	 * The answer, whatever its status, is stored here, unless .take gets it; or NULL. An answer
	 * of more than 64 MB ends the request with -EIO.
	 */
	struct buf *answer;
	/*
	 * Called with each piece of an answer of status 2xx, without a limit of size; or NULL. If
	 * the function returns false, the request ends with -EIO.
	 */
	bool (*take)(void *arg, struct str piece);
	void *arg;
	/*
	 * Called about once a second; or NULL. If the function returns false, the request ends with
	 * -ECANCELED.
	 */
	bool (*is_wanted)(void *arg);
	/* "aws:amz:REGION:s3" to sign for S3 by user and password; or NULL */
	const char *sign;
};

/*
 * Send a request. Returns the HTTP status; if the status is not 2xx, why gets the text of the
 * answer as one line. Returns -errno and why if there is no answer.
 *
 * Timeouts: 10 s to connect, 30 s without a byte, and 60 s plus 1 s per 64 KB of the body for the
 * whole request. With .take (queries): 5 min without a byte, 10 min in total, because a database
 * may compute for that long before it answers.
 */
int https_do(struct https *h, const struct https_request *q, struct buf *why) MUST_CHECK;

/* Append advice: what to check after a request that ended with this HTTP status. */
void https_put_advice(int status, struct buf *why);
