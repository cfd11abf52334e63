/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h - list the names in a directory, sorted, in memory that is reused */
#pragma once

#include "base/base.h"
#include "base/files.h"

#define NAME_SIZE 256	/* NAME_MAX of Linux and a NUL */
#define NAMES_MAX 16384

/* A list of names. All zero is a valid empty list. */
struct names {
	size_t n, cap;
	char (*name)[NAME_SIZE];
};

void names_free(struct names *n);

enum names_of {
	NAMES_OF_ALL,
	/* directories, links, and entries of unknown kind */
	NAMES_OF_DIRECTORIES,
};

/*
 * List the names that start with prefix, but not with a dot, in natural order (node2 before
 * node10), up to NAMES_MAX. names_read() lists an open directory, from its start; names_list()
 * lists the directory dir below the root. Returns 0 or -errno.
 */
int names_read(struct names *n, int dirfd, const char *prefix, enum names_of of) MUST_CHECK;
int names_list(struct names *n, const struct files *f, const char *dir,
	       const char *prefix) MUST_CHECK;
