/* SPDX-License-Identifier: BSD-3-Clause */
/* s3.h - URLs of objects in an S3 store, and access keys */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/* Append ENDPOINT/BUCKET/KEY for s3://BUCKET/KEY. Returns false if url has no bucket. */
bool s3_put_url(struct buf *b, const char *endpoint, struct str url) MUST_CHECK;
/*
 * Append the URL that lists s3://BUCKET/PREFIX/. token: the page to list, see listing_take_page();
 * empty: the first page. Returns false if url has no bucket.
 */
bool s3_put_list_url(struct buf *b, const char *endpoint, struct str url,
		     struct str token) MUST_CHECK;
/* Append "PREFIX/" of s3://BUCKET/PREFIX/, or nothing if there is no prefix. */
void s3_put_prefix(struct buf *b, struct str url);

/* access key id, secret, and session token if there is one */
struct s3_keys {
	struct str id, secret, session;
};

/*
 * Find the keys of a profile in text, which is the file ~/.aws/credentials. The keys borrow from
 * text. Returns false if the id or secret is missing.
 */
bool s3_take_keys(struct str text, struct str profile, struct s3_keys *ret) MUST_CHECK;
