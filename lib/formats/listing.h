/* SPDX-License-Identifier: BSD-3-Clause */
/* listing.h - parse the file listings of web servers and object stores */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/*
 * A receiver of a listing. found() is called for each file and folder. The name is only valid
 * during the call. size is in bytes, or LISTING_FOLDER for a folder.
 */
#define LISTING_FOLDER UINT64_MAX
struct listing_to {
	void (*found)(void *arg, struct str name, uint64_t size);
	void *arg;
};

/* Parse a folder listing of nginx ("autoindex_format json"). Returns 0, or -EBADMSG. */
int listing_take_folder(struct str json, const struct listing_to *to) MUST_CHECK;

/*
 * Parse a page of S3's ListObjectsV2. *next gets the token that requests the next page, or "" if
 * this is the last page. Returns 0, -EBADMSG, or -EOPNOTSUPP if built without expat.
 */
int listing_take_page(struct str text, const struct listing_to *to, struct buf *next) MUST_CHECK;

/*
 * Append the error message of a server: code, message and region of an <Error> document of S3; or
 * the first line of any other text, unless this line begins with "<".
 */
void listing_put_error(struct buf *b, struct str answer);
