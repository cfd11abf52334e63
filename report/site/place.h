/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - create the folders and files of static pages, in folders that other users may own */
#pragma once

#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"

/*
 * Encode a name for use in file names and links. Letters, digits, ".", "_" and "-" are kept; all
 * other bytes, and a leading dot, become "=" and two hexadecimal digits. A long name is cut and
 * gets a hash of the whole name. An empty name becomes "=".
 */
void place_put_name(struct buf *b, const char *name);

/*
 * Open a folder below dirfd, or create it with this mode. A new folder gets the given owner, if the
 * process is root, and inherits the parent's set-group-ID bit and group. Symbolic links are not
 * followed. Returns a descriptor or -errno.
 */
int place_open(int dirfd, const char *name, mode_t mode, uid_t owner) MUST_CHECK;

/*
 * Write a file in a folder atomically, unless it has this text already. The folder's owner cannot
 * redirect the write to another file. Returns 0 or -errno.
 */
int place_put(int dirfd, const char *name, struct str text) MUST_CHECK;

/* Read a whole file. The result is empty if the file is missing or not a regular file. */
void place_read(int dirfd, const char *name, struct buf *b);
