/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h - a temporary folder for one test, removed at its end */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/files.h"
#include "tests/unit/test.h"

struct tree {
	char path[64];
	int fd;
};

static inline void tree_make(struct tree *t)
{
	str_copy(t->path, sizeof(t->path), STR("/tmp/nodometer-test-XXXXXX"));
	assert_non_null(mkdtemp(t->path));
	t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(t->fd >= 0);
}

static inline int tree_remove_one(const char *path, const struct stat *st, int flag,
				  struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void tree_free(struct tree *t)	/* function for CLEANUP() */
{
	close_fd(&t->fd);
	nftw(t->path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Write a file in place, replacing its contents, and make missing folders. */
static inline void tree_put(const struct tree *t, const char *path, struct str text)
{
	char dir[512];
	for (const char *p = path; (p = strchr(p, '/')); p++) {
		str_copy(dir, sizeof(dir), (struct str){ path, (size_t)(p - path) });
		assert_true(mkdirat(t->fd, dir, 0755) == 0 || errno == EEXIST);
	}
	int fd CLEANUP(close_fd) = openat(t->fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.p, text.n), text.n);
}

static inline void tree_get(const struct tree *t, const char *path, struct buf *b)
{
	int fd CLEANUP(close_fd) = openat(t->fd, path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	b->n = 0;
	buf_reserve(b, (size_t)st.st_size + 1);
	assert_int_equal(read(fd, b->p, (size_t)st.st_size), st.st_size);
	b->n = (size_t)st.st_size;
}

static inline void assert_text(struct str got, struct str want)
{
	if (!str_eq(got, want))
		fail_msg("want \"" STR_FMT "\", got \"" STR_FMT "\"", STR_ARG(want), STR_ARG(got));
}

static inline void assert_file(const struct tree *t, const char *path, struct str want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	tree_get(t, path, &b);
	assert_text(buf_str(&b), want);
}
