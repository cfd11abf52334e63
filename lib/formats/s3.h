/* SPDX-License-Identifier: BSD-3-Clause */
/* s3.h - names of objects in a store as URLs, and the keys by which requests are signed */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/* s3://BUCKET/KEY at ENDPOINT, which has paths of BUCKET/KEY. False: there is no bucket in it. */
bool s3_put_url(struct buf *b, const char *endpoint, struct str url) MUST_CHECK;
/* The page of the objects below s3://BUCKET/PREFIX/ that has this token, or the first one. */
bool s3_put_list_url(struct buf *b, const char *endpoint, struct str url,
		     struct str token) MUST_CHECK;
/* Of s3://BUCKET/PREFIX/: PREFIX/, or nothing where all of the bucket is meant. */
void s3_put_prefix(struct buf *b, struct str url);

/* Key, secret and, where there is one, the token of a session. */
struct s3_keys {
	struct str id, secret, session;
};

/* The keys of a profile in a file as ~/.aws/credentials. False: they are not in it. */
bool s3_take_keys(struct str text, struct str profile, struct s3_keys *ret) MUST_CHECK;
