/* SPDX-License-Identifier: BSD-3-Clause */
/* files.h - read files below a root directory repeatedly: each is opened once and kept open */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/str.h"

#define FILE_BYTES_MAX (64u << 20)	/* limit for a file that the agent reads */

struct file;

/*
 * A set of open files. Paths are relative ("proc/stat"). Below a root other than "/", absolute
 * symbolic links resolve inside the root (openat2(2), RESOLVE_IN_ROOT). Files are opened with
 * O_NONBLOCK, so that a FIFO in a captured tree (a copy of another node's files) gives an error at
 * once.
 */
struct files {
	int rootfd;
	bool in_root;		/* whether the root is a captured tree instead of "/" */
	bool wait;		/* open without O_NONBLOCK: a worker process reads, and may wait */
	bool again;		/* whether to retry files that could not be opened */
	struct file *file;
	size_t cap;
	uint32_t n;
	/* index of the last file read; .next of that file gets the index of the file read next */
	uint32_t last;
};

/*
 * Replace a file atomically: write a temporary file and rename it, so that a reader sees the old or
 * the new contents. All users can read the file. Returns 0 or -errno; -EEXIST if path is a device.
 */
int files_replace(const char *path, struct str text) MUST_CHECK;

/*
 * Replace a file that a user named, with the mode that the umask allows; write to it if it is a
 * device. Returns 0 or -errno.
 */
int files_publish(const char *path, struct str text) MUST_CHECK;
/*
 * Do what files_publish() does, with contents that write() puts into the open file. write() returns
 * 0 or -errno.
 */
int files_publish_by(const char *path, int (*write)(void *arg, int fd), void *arg) MUST_CHECK;

/* Bind a local socket whose file gets this mode, whatever the umask. Returns 0 or -errno. */
struct sockaddr_un;
int files_bind(int fd, const struct sockaddr_un *at, mode_t mode) MUST_CHECK;

/* Write all of the text, with as many calls as it takes. Returns 0 or -errno. */
int files_write(int fd, struct str text) MUST_CHECK;
/*
 * Replace the contents of an open file. The file offset must be 0. If the file is a pipe or a
 * device, the text is only written. Returns 0 or -errno.
 */
int files_rewrite(int fd, struct str text) MUST_CHECK;

/*
 * Write all of the text; if fd is a terminal, replace control characters by "?" (base/utf8.h).
 * Returns 0 or -errno.
 */
int files_print(int fd, struct buf *text) MUST_CHECK;

/*
 * Lock a file exclusively with flock(2). Returns 0, -ETIMEDOUT if another process keeps the lock
 * for timeout_ms, or another -errno.
 */
int files_lock(int fd, int timeout_ms) MUST_CHECK;
void files_unlock(int fd);

/*
 * Give a file that root created, in a hook or from cron, to the owner of its folder, so that the
 * agent can append to it. Does nothing for other users. Returns 0 or -errno.
 */
int files_own(int dirfd, int fd) MUST_CHECK;

/* Whether both describe the same file. */
static inline bool files_are_one(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Whether fd is a regular file that is not empty. */
bool files_has_content(int fd);

/* Close a descriptor unless it is negative, for CLEANUP(). */
void close_fd(int *fd);

/* The number of descriptors that this process may have (RLIMIT_NOFILE). */
size_t files_open_max(void);

/* Open the root directory. Returns 0 or -errno. */
int files_open_root(struct files *f, const char *root) MUST_CHECK;
void files_free(struct files *f);

/* Open a path below the root. Returns a descriptor that the caller closes, or -errno. */
COLD int files_open(const struct files *f, const char *path, int flags) MUST_CHECK;

/*
 * Upper bound of the bytes in one record of a file. If a read leaves more room than this in the
 * kernel's buffer, the read has reached the end of the file, and no further read is needed.
 */
enum file_read {
	FILE_LINES   = 64,
	FILE_RECORDS = 1024,
	FILE_TO_END  = FILE_BYTES_MAX,	/* no bound: read until read(2) returns 0 */
};

/*
 * The first line of a file below the root, trimmed and truncated to size; empty if it cannot be
 * read.
 */
struct str files_line(const struct files *f, const char *path, char *buf, size_t size);

/*
 * Read a whole file into b. *ret borrows from b until b changes. The descriptor is kept for the
 * next call. Returns 0 or -errno. A file that could not be opened is only retried if .again is set;
 * a file that could not be read is opened again.
 */
int files_read(struct files *f, const char *path, enum file_read how, struct buf *b,
	       struct str *ret) MUST_CHECK;

/* Read a whole file from a descriptor of the caller. Returns 0 or -errno. */
int files_read_fd(int fd, enum file_read how, struct buf *b, struct str *ret) MUST_CHECK;

/* Close the descriptor that files_read() keeps for a path, because its device is gone. */
COLD void files_forget(struct files *f, const char *path);

/* Close all files that were not read since the last sweep, because their devices are gone. */
COLD void files_sweep(struct files *f);
