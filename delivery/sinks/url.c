/* SPDX-License-Identifier: BSD-3-Clause */
/* url.c - check and extend URLs with libcurl's own parser, so that the checks agree with libcurl */
#include "sinks/url.h"

#include <errno.h>
#include <string.h>
#ifdef HAVE_CURL
#include <curl/curl.h>
#include <stdlib.h>
#endif

static int url_refuse_login(struct buf *why)
{
	buf_addf(why, "a URL must not have a user or password in it, where others can read them");
	return -EACCES;
}

/* Check that a URL has a scheme. An error does not repeat a URL that may have a password in it. */
static int url_check_scheme(const char *url, struct buf *why)
{
	if (strstr(url, "://"))
		return 0;
	if (strchr(url, '@'))
		return url_refuse_login(why);
	buf_addf(why, "missing scheme: write https://%s or http://%s", url,
		 url);
	return -EINVAL;
}

#if defined(HAVE_CURL) && LIBCURL_VERSION_NUM >= 0x073e00

#if LIBCURL_VERSION_NUM < 0x075000
static const char *curl_url_strerror(CURLUcode e)
{
	return e == CURLUE_BAD_PORT_NUMBER ? "Bad port number" : "Malformed URL";
}
#endif

static int url_explain(CURLUcode e, const char *want, struct buf *why)
{
	if (e == CURLUE_OK)
		return 0;
	if (e == CURLUE_USER_NOT_ALLOWED)
		return url_refuse_login(why);
	buf_addf(why, "expected %s (URL: %s)", want, curl_url_strerror(e));
	return -EINVAL;
}

/* Parse a URL. Returns a handle for curl_url_cleanup(), with the error in *e. */
static CURLU *url_parse(const char *url, unsigned flags, CURLUcode *e)
{
	CURLU *parsed = curl_url();

	if (!parsed)
		abort();
	*e = curl_url_set(parsed, CURLUPART_URL, url, flags | CURLU_DISALLOW_USER);
	return parsed;
}

/* Parse a URL. Returns its scheme, which is one of `schemes`; or NULL, with the error in *r. */
static const char *url_scheme(const char *url, unsigned flags, const char *const *schemes,
			      const char *want, struct buf *why, int *r)
{
	CURLUcode e;
	CURLU *parsed = url_parse(url, flags, &e);
	char *scheme = NULL;

	if (e == CURLUE_OK)
		e = curl_url_get(parsed, CURLUPART_SCHEME, &scheme, 0);
	curl_url_cleanup(parsed);
	*r = url_explain(e, want, why);
	while (scheme && *schemes && strcmp(*schemes, scheme) != 0)
		schemes++;
	curl_free(scheme);
	if (*r == 0 && !*schemes) {
		buf_addf(why, "expected %s", want);
		*r = -EINVAL;
	}
	return *r == 0 ? *schemes : NULL;
}

int url_check(const char *url, bool *is_https, struct buf *why)
{
	static const char *const schemes[] = { "https", "http", NULL };
	int r;
	int has = url_check_scheme(url, why);
	if (has < 0)
		return has;
	const char *scheme = url_scheme(url, 0, schemes, "https://...", why, &r);

	if (r == 0)
		*is_https = scheme == schemes[0];
	return r;
}

int url_check_proxy(const char *url, struct buf *why)
{
	static const char *const schemes[] = {
		"http", "https", "socks4", "socks4a", "socks5", "socks5h", NULL
	};
	int r;

	url_scheme(url, CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME, schemes,
		   "http://HOST:PORT, https:// or socks5h://", why, &r);
	return r;
}

/* Return true if a query such as "a=1&b=2" has NAME=... */
static bool url_query_has(struct str query, const char *name)
{
	struct str part, key;

	for (bool more = query.n > 0; more; ) {
		more = str_take_until(&query, '&', &part);
		part = more ? part : query;
		if (str_take_until(&part, '=', &key) && str_eq(key, str_of(name)))
			return true;
	}
	return false;
}

/*
 * Append a part of the URL and a NUL. If `query` is not NULL, first replace the URL's query by it.
 * If the part is the query and the URL has none, append only the NUL.
 */
static CURLUcode url_put_part(struct buf *b, CURLUPart part, const char *url, const char *query,
			      unsigned flags)
{
	CURLUcode e;
	CURLU *parsed = url_parse(url, 0, &e);
	char *text = NULL;

	if (e == CURLUE_OK && query)
		e = curl_url_set(parsed, CURLUPART_QUERY, query[0] ? query : NULL, flags);
	if (e == CURLUE_OK)
		e = curl_url_get(parsed, part, &text, 0);
	if (e == CURLUE_NO_QUERY)
		e = CURLUE_OK;
	if (e == CURLUE_OK)
		buf_addf(b, "%s%c", text ? text : "", '\0');
	curl_free(text);
	curl_url_cleanup(parsed);
	return e;
}

int url_add_parameter(struct buf *b, const char *url, const char *name, const char *value,
		      struct buf *why)
{
	struct buf pair CLEANUP(buf_free) = { 0 }, query CLEANUP(buf_free) = { 0 };

	buf_addf(&pair, "%s=%s%c", name, value, '\0');
	CURLUcode e = url_put_part(&query, CURLUPART_QUERY, url, NULL, 0);
	if (e == CURLUE_OK)
		e = url_put_part(b, CURLUPART_URL, url,
				 url_query_has(str_of(query.p), name) ? NULL : pair.p,
				 CURLU_APPENDQUERY);
	if (e == CURLUE_OK)
		b->n--;		/* remove the NUL */
	return url_explain(e, "https://...", why);
}

int url_get_query(struct buf *b, const char *url)
{
	return url_put_part(b, CURLUPART_QUERY, url, NULL, 0) == CURLUE_OK ? 0 : -EINVAL;
}

int url_set_query(struct buf *b, const char *url, const char *query)
{
	return url_put_part(b, CURLUPART_URL, url, query, 0) == CURLUE_OK ? 0 : -EINVAL;
}

/*
 * EL 8 has libcurl 7.61, without curl_url(): refuse each URL that some parser could take for one
 * with a login
 */
#else

static int url_refuse_any_login(const char *url, struct buf *why)
{
	const char *host = strstr(url, "://");

	host = host ? host + 3 : url;
	return memchr(host, '@', strcspn(host, "/")) ? url_refuse_login(why) : 0;
}

int url_check(const char *url, bool *is_https, struct buf *why)
{
	struct str s = str_of(url);

	*is_https = str_starts(s, STR("https://"));
	if (*is_https || str_starts(s, STR("http://")))
		return url_refuse_any_login(url, why);
	int has = url_check_scheme(url, why);
	if (has == 0)
		buf_addf(why, "expected https://...");
	return has < 0 ? has : -EINVAL;
}

int url_check_proxy(const char *url, struct buf *why)
{
	return url_refuse_any_login(url, why);
}

int url_add_parameter(struct buf *b, const char *url, const char *name, const char *value,
		      struct buf *why)
{
	const char *query = strchr(url, '?');
	struct buf pair CLEANUP(buf_free) = { 0 };

	buf_addf(&pair, "%s=%c", name, '\0');
	if (query && strstr(query, pair.p)) {
		buf_add(b, str_of(url));
		return url_refuse_any_login(url, why);
	}
	buf_addf(why, "this build's libcurl cannot extend a URL: add ?%s%s to it", pair.p, value);
	return -EINVAL;
}

int url_get_query(struct buf *b, const char *url)
{
	const char *query = strchr(url, '?');

	buf_addf(b, "%s%c", query ? query + 1 : "", '\0');
	return 0;
}

int url_set_query(struct buf *b, const char *url, const char *query)
{
	buf_add(b, (struct str){ url, strcspn(url, "?") });
	buf_addf(b, "%s%s%c", query[0] ? "?" : "", query, '\0');
	return 0;
}

#endif
