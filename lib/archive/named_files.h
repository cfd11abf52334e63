/* SPDX-License-Identifier: BSD-3-Clause */
/* named_files.h - open the files named on the command line before they are parsed */
#pragma once

#include <stddef.h>
#include "base/base.h"

/* The caller sets .path and .n. */
struct named_files {
	char *const *path;
	size_t n;
	int *fd;	/* descriptors opened by root, or -errno; NULL if none were opened */
};

/*
 * As root, open all files now, because the program goes on as a user who may not be allowed to read
 * them. If a path is a URL, also start nodometer-remote, which can then find root's logins. For
 * other users do nothing: each file is opened when needed.
 */
void named_files_open(struct named_files *f);

/*
 * Returns the descriptor of file i for input_take_file(), or -errno; -ECANCELED if
 * archive_is_aside(). Call it once per file.
 */
int named_files_take(const struct named_files *f, size_t i) MUST_CHECK;
void named_files_free(struct named_files *f);
