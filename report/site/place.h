/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - folders and files of a site, which others may own */
#pragma once

#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"

/*
 * A name as a part of the name of a file and of a link: letters, digits, ".", "_" and "-" stay, all
 * else is "=" and two hexadecimal digits, as is a dot in front. A long one is cut and has a
 * checksum of all of it; nothing is "=".
 */
void place_put_name(struct buf *b, const char *name);

/*
 * A folder in another one, which is made with these rights if it is missing: it belongs to owner
 * then, as far as this process may give it away, and to the group of the other one if that has
 * the bit for it. Never follows a link. A descriptor or -errno.
 */
int place_open(int dirfd, const char *name, mode_t mode, uid_t owner) MUST_CHECK;

/*
 * Makes a file of a folder whole, under another name first, unless it has this text already.
 * Whoever owns the folder cannot have another file written. 0 or -errno.
 */
int place_put(int dirfd, const char *name, struct str text) MUST_CHECK;

/* All of a file, "" where there is none that is to be read. */
void place_read(int dirfd, const char *name, struct buf *b);
