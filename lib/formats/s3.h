/* SPDX-License-Identifier: BSD-3-Clause */
/* s3.h - URLs of objects in an S3 store, and the keys that sign requests */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/* Append the URL of s3://BUCKET/KEY, as ENDPOINT/BUCKET/KEY. Returns false if url has no bucket. */
bool s3_put_url(struct buf *b, const char *endpoint, struct str url) MUST_CHECK;
/*
 * Append the URL of a page of the listing of s3://BUCKET/PREFIX/. An empty token means the first
 * page. Returns false if url has no bucket.
 */
bool s3_put_list_url(struct buf *b, const char *endpoint, struct str url,
		     struct str token) MUST_CHECK;
/* Append PREFIX/ of s3://BUCKET/PREFIX/, or nothing if the URL names a whole bucket. */
void s3_put_prefix(struct buf *b, struct str url);

/* access key id, secret, and session token if there is one */
struct s3_keys {
	struct str id, secret, session;
};

/*
 * Find the keys of a profile in the text of ~/.aws/credentials. Returns false if it lacks an id or
 * secret.
 */
bool s3_take_keys(struct str text, struct str profile, struct s3_keys *ret) MUST_CHECK;
