/* SPDX-License-Identifier: BSD-3-Clause */
/* s3.c - URLs of objects in an S3 store, and access keys */
#include "formats/s3.h"

#include <ctype.h>

#define PAGES     STR("list-type=2&max-keys=1000&prefix=")

/*
 * Append s percent-encoded for S3. Only the unreserved characters of RFC 3986, section 2.3, and the
 * character `also` stay as they are.
 */
static void s3_put_encoded(struct buf *b, struct str s, char also)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (isalnum(c) || (c && strchr("-._~", c)) || (also && c == (unsigned char)also))
			buf_add_char(b, (char)c);
		else
			buf_addf(b, "%%%02X", c);
	}
}

static bool s3_take_bucket(struct str *url, struct str *bucket)
{
	if (!str_take_prefix(url, STR("s3://")))
		return false;
	if (!str_take_until(url, '/', bucket)) {
		*bucket = *url;
		*url = str_skip(*url, url->n);
	}
	return bucket->n > 0;
}

bool s3_put_url(struct buf *b, const char *endpoint, struct str url)
{
	struct str bucket;

	if (!s3_take_bucket(&url, &bucket))
		return false;
	buf_add(b, str_without_end(str_of(endpoint), '/'));
	buf_add_char(b, '/');
	s3_put_encoded(b, bucket, '\0');
	buf_add_char(b, '/');
	s3_put_encoded(b, url, '/');
	return true;
}

void s3_put_prefix(struct buf *b, struct str url)
{
	struct str bucket;

	if (!s3_take_bucket(&url, &bucket))
		return;
	url = str_without_end(url, '/');
	buf_add(b, url);
	if (url.n)
		buf_add_char(b, '/');
}

/*
 * The parameters must be sorted by name, because libcurl 7.88 signs them in the order of the URL.
 */
bool s3_put_list_url(struct buf *b, const char *endpoint, struct str url, struct str token)
{
	struct buf prefix CLEANUP(buf_free) = { 0 };
	struct str bucket, key = url, root = url;

	if (!s3_take_bucket(&key, &bucket))
		return false;
	root.n = (size_t)(bucket.p - url.p) + bucket.n;
	if (!s3_put_url(b, endpoint, root))
		return false;
	b->n--;		/* remove the slash after the bucket's name */
	buf_add_char(b, '?');
	if (token.n) {
		buf_add(b, STR("continuation-token="));
		s3_put_encoded(b, token, '\0');
		buf_add_char(b, '&');
	}
	buf_add(b, PAGES);
	s3_put_prefix(&prefix, url);
	s3_put_encoded(b, buf_str(&prefix), '\0');
	return true;
}

static void s3_take_key(struct str line, struct s3_keys *k)
{
	struct str name;

	if (!str_take_until(&line, '=', &name))
		return;
	name = str_trim(name);
	if (str_eq(name, STR("aws_access_key_id")))
		k->id = str_trim(line);
	else if (str_eq(name, STR("aws_secret_access_key")))
		k->secret = str_trim(line);
	else if (str_eq(name, STR("aws_session_token")))
		k->session = str_trim(line);
}

bool s3_take_keys(struct str text, struct str profile, struct s3_keys *ret)
{
	struct s3_keys k = { .id = { 0 } };
	bool ours = false;
	struct str line, name;

	while (str_take_line(&text, &line)) {
		line = str_trim(line);
		if (str_take_prefix(&line, STR("[")))
			ours = str_take_until(&line, ']', &name) && str_eq(str_trim(name), profile);
		else if (ours)
			s3_take_key(line, &k);
	}
	if (!k.id.n || !k.secret.n)
		return false;
	*ret = k;
	return true;
}
