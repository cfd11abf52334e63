/* SPDX-License-Identifier: BSD-3-Clause */
/* listing.h - what a web server or an object store says of the files that it has, and its URLs */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/* Hears of each file, and of each folder with a size of LISTING_FOLDER. */
#define LISTING_FOLDER UINT64_MAX
struct listing_to {
	void (*found)(void *arg, struct str name, uint64_t size);
	void *arg;
};

/* A folder of nginx, "autoindex_format json". 0, or -EBADMSG. */
int listing_take_folder(struct str json, const struct listing_to *to) MUST_CHECK;

/*
 * A page of S3's ListObjectsV2; next gets the token of the page after it, or nothing. 0, -EBADMSG,
 * or -EOPNOTSUPP: this build has no expat.
 */
int listing_take_page(struct str xml, const struct listing_to *to, struct buf *next) MUST_CHECK;

/* Adds "CODE: MESSAGE" of S3's <Error>, or the first line of any other text. */
void listing_put_error(struct buf *b, struct str answer);

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
