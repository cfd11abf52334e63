/* SPDX-License-Identifier: BSD-3-Clause */
/* mounts.h - read the list of mounts, again only when the kernel reports a change */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/files.h"
#include "base/str.h"

/* State of the list; all zero: not read yet. */
struct mounts {
	bool open;
	int fd;
	struct buf text;
};

/* A line of the list. Blanks in it are octal escapes (\040); see mount_path(). */
struct mount {
	struct str device, dir, type;
};

/*
 * Read /proc/mounts below the root if it has changed: the kernel then wakes poll(2) on the open
 * file (fs/proc_namespace.c, mounts_poll()). In a captured tree the file is read each time. Returns
 * 1 and *list, valid until the next call; 0 if nothing changed; or -errno.
 */
int mounts_changed(struct mounts *m, const struct files *root, struct str *list) MUST_CHECK;
void mounts_free(struct mounts *m);

/* Take the next mount of a list, in the order of mounting. Returns false at the end. */
bool mount_take(struct str *list, struct mount *ret);

/* Decode the octal escapes of a path. Returns false if it does not fit or contains a NUL. */
bool mount_path(char *to, size_t size, struct str dir);

/*
 * Return whether path is dir or below it: "/a/b" is below "/a" and "/", but "/ab" not below "/a".
 */
bool mount_is_below(struct str path, struct str dir);
