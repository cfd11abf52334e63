/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h - the names in a directory, sorted, in memory that is used again */
#pragma once

#include "base/base.h"
#include "base/files.h"

#define NAME_SIZE 256	/* with its NUL: NAME_MAX of Linux */
#define NAMES_MAX 16384

/* All zero is a valid empty one. */
struct names {
	size_t n, cap;
	char (*name)[NAME_SIZE];
};

void names_free(struct names *n);

enum names_of {
	NAMES_OF_ALL,
	NAMES_OF_DIRECTORIES,	/* and of links, and of what the file system does not say */
};

/*
 * Fills *n with the names that start with prefix, but not with a dot, in natural order (node2
 * before node10); no more than NAMES_MAX. names_read() goes back to the start of an open directory.
 * 0 or -errno.
 */
int names_read(struct names *n, int dirfd, const char *prefix, enum names_of of) MUST_CHECK;
int names_list(struct names *n, const struct files *f, const char *dir,
	       const char *prefix) MUST_CHECK;
