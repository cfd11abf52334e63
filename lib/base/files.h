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
 * Files below a root directory, kept open. Paths are relative ("proc/stat"). Below a root other
 * than "/", absolute symbolic links resolve inside the root (openat2(2), RESOLVE_IN_ROOT). Files
 * are opened with O_NONBLOCK, so that a FIFO in a captured tree (a copy of another node's files)
 * does not block.
 */
struct files {
	int rootfd;
	bool in_root;		/* whether the root is a captured tree instead of "/" */
	bool wait;		/* open without O_NONBLOCK: a worker reads and may block */
	bool again;		/* retry files that could not be opened */
	struct file *file;
	size_t cap;
	uint32_t n;
	/*
	 * index of the file that was read last; .next of that file gets the index of the file read
	 * next
	 */
	uint32_t last;
};

/*
 * Replace a file atomically, by rename(2) of a temporary file. All users can read the file. Returns
 * 0 or -errno; -EEXIST if path is a device.
 */
int files_replace(const char *path, struct str text) MUST_CHECK;

/*
 * Replace a file that a user named, with the mode of the umask. A device or pipe is written to
 * instead. Returns 0 or -errno.
 */
int files_publish(const char *path, struct str text) MUST_CHECK;
/*
 * Like files_publish(), but write() writes the contents to the open file. write() returns 0 or
 * -errno.
 */
int files_publish_by(const char *path, int (*write)(void *arg, int fd), void *arg) MUST_CHECK;

/* Bind a local socket, and give its file this mode. Returns 0 or -errno. */
struct sockaddr_un;
int files_bind(int fd, const struct sockaddr_un *at, mode_t mode) MUST_CHECK;

/* Write all of the text, with as many calls as it takes. Returns 0 or -errno. */
int files_write(int fd, struct str text) MUST_CHECK;
/*
 * Replace the contents of an open file, whose offset must be 0. To a pipe or a device, the text is
 * just written. Returns 0 or -errno.
 */
int files_rewrite(int fd, struct str text) MUST_CHECK;

/*
 * Write all of the text. For a terminal, first replace control characters in *text by "?"
 * (base/utf8.h). Returns 0 or -errno.
 */
int files_print(int fd, struct buf *text) MUST_CHECK;

/*
 * Lock a file exclusively with flock(2). Returns 0, -ETIMEDOUT if another process keeps the lock
 * for timeout_ms, or another -errno.
 */
int files_lock(int fd, int timeout_ms) MUST_CHECK;
void files_unlock(int fd);

/*
 * If root created the file in a hook or cron job, give it to the owner of its folder, so that the
 * agent can append to it. Does nothing for other users. Returns 0 or -errno.
 */
int files_give_to_owner(int dirfd, int fd) MUST_CHECK;

/* Return whether a and b are the same file. */
static inline bool files_are_one(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Whether fd is a regular file that is not empty. */
bool files_has_content(int fd);

/* Close a descriptor unless it is negative, and set it to -1, so that it is closed once. */
void close_fd(int *fd);

/*
 * Close a file that was written, and set *fd to -1. Returns 0, or -errno if data is lost: NFS
 * reports a full disk or quota only here (close(2)).
 */
int files_finish(int *fd) MUST_CHECK;

/* Return the limit of open descriptors of this process (RLIMIT_NOFILE). */
size_t files_open_max(void);

/* Open the root directory. Returns 0 or -errno. */
int files_open_root(struct files *f, const char *root) MUST_CHECK;
void files_free(struct files *f);

/* Open a path below the root. Returns a descriptor that the caller closes, or -errno. */
COLD int files_open(const struct files *f, const char *path, int flags) MUST_CHECK;

/*
 * Largest record of a file in bytes. If the kernel's buffer had room for another record, a read has
 * reached the end of the file, and no further read is needed.
 */
enum file_read {
	FILE_LINES   = 64,
	FILE_RECORDS = 1024,
	FILE_TO_END  = FILE_BYTES_MAX,	/* unknown: read until read(2) returns 0 */
};

/*
 * Return the first line of a file below the root, trimmed, and cut to size; empty if it cannot be
 * read.
 */
struct str files_line(const struct files *f, const char *path, char *buf, size_t size);

/*
 * Read a whole file into b, and keep its descriptor for the next call. *ret is valid until b
 * changes. If a file could not be opened, it is retried only if .again is set; if it could not be
 * read, it is opened again. Returns 0 or -errno.
 */
int files_read(struct files *f, const char *path, enum file_read how, struct buf *b,
	       struct str *ret) MUST_CHECK;

/*
 * Read a whole file, from offset 0, from a descriptor of the caller, which is no pipe. Replaces the
 * contents of b; *ret is valid until b changes. Returns 0 or -errno; -EFBIG if the file has
 * FILE_BYTES_MAX bytes or more.
 */
int files_read_fd(int fd, enum file_read how, struct buf *b, struct str *ret) MUST_CHECK;

/* Close the descriptor that files_read() keeps for a path, because its device is gone. */
COLD void files_forget(struct files *f, const char *path);

/* Close all files that were not read since the last sweep, because their devices are gone. */
COLD void files_sweep(struct files *f);
