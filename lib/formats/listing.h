/* SPDX-License-Identifier: BSD-3-Clause */
/* listing.h - what a web server or an object store says of the files that it has */
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
int listing_take_page(struct str text, const struct listing_to *to, struct buf *next) MUST_CHECK;

/* Adds "CODE: MESSAGE" of S3's <Error>, or the first line of any other text. */
void listing_put_error(struct buf *b, struct str answer);
