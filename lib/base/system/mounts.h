/* SPDX-License-Identifier: BSD-3-Clause */
/* mounts.h - the list of mounts, read again only when the kernel says that it changed */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/files.h"
#include "base/str.h"

/* All zero is a list that was never read. */
struct mounts {
	bool open;
	int fd;
	struct buf text;
};

/* A line of the list; blanks in it are octal escapes (\040), see mount_path(). */
struct mount {
	struct str device, dir, type;
};

/*
 * Looks at /proc/mounts below the root: 1 and *list, borrowed until the next call, if it was read,
 * 0 if the list is what it was at the last call, or -errno. The kernel wakes a poll(2) on the open
 * file of changes since the last poll of it (fs/proc_namespace.c, mounts_poll()); a captured file
 * cannot, it is read each time.
 */
int mounts_changed(struct mounts *m, const struct files *root, struct str *list) MUST_CHECK;
void mounts_free(struct mounts *m);

/* The next mount of a list, in the order of mounting; lines that are none are skipped. */
bool mount_take(struct str *list, struct mount *ret);

/* Undoes the octal escapes. False if the path does not fit or holds a NUL. */
bool mount_path(char *to, size_t size, struct str dir);

/* Whether path lies on or below dir: "/a/b" is below "/a" and "/", "/ab" is not below "/a". */
bool mount_is_below(struct str path, struct str dir);
