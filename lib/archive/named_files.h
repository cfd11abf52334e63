/* SPDX-License-Identifier: BSD-3-Clause */
/* named_files.h - open the files named on the command line before they are parsed */
#pragma once

#include <stddef.h>
#include "base/base.h"

/* Files named on the command line. The caller sets .path and .n. */
struct named_files {
	char *const *path;
	size_t n;
	/*
	 * for each file, its descriptor, opened as root, or -errno; NULL if the caller was not root
	 */
	int *fd;
};

/*
 * As root, open all files now, because the program will change to a user who may lack the
 * permission to read them. If a path is a URL, also start nodometer-remote, which needs root's
 * logins. Does nothing for other users: each file is opened when it is needed.
 */
void named_files_open(struct named_files *f);

/*
 * Return the descriptor of file i for input_take_file(), or -errno; -ECANCELED if the file has no
 * records, such as a lock, see archive_is_aside(). Call this once for each file.
 */
int named_files_take(const struct named_files *f, size_t i) MUST_CHECK;
/* Free .fd. Does not close descriptors that were not taken. */
void named_files_free(struct named_files *f);
