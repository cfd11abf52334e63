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
	bool in_root;		/* the root is a captured tree instead of "/" */
	bool wait;		/* open without O_NONBLOCK: a worker reads and may block */
	/* files_read() tries again to open files that could not be opened */
	bool again;
	struct file *file;
	size_t cap;
	uint32_t n;
	/*
	 * index of the file that was read last; when another file is read, its index becomes the
	 * .next of this file
	 */
	uint32_t last;
};

/*
 * Replace a file atomically, by rename(2) of a temporary file. All users can read the file. Returns
 * 0 or -errno; -EEXIST if path is a device.
 */
int files_replace(const char *path, struct str text) MUST_CHECK;

/*
 * Replace a file that a user named; the umask decides its mode. If path is a device or a pipe,
 * write to it instead. Returns 0 or -errno.
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
 * Replace the contents of an open file, whose offset must be 0. If fd is a pipe or a device, just
 * write the text to it. Returns 0 or -errno.
 */
int files_rewrite(int fd, struct str text) MUST_CHECK;

/*
 * Write all of the text. If fd is a terminal, first replace control characters in *text by "?"
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
 * If this process is root, as in a hook or cron job, give a file that it created to the owner of
 * the file's folder, so that the agent can append to the file. Does nothing for other users.
 * Returns 0 or -errno.
 */
int files_give_to_owner(int dirfd, int fd) MUST_CHECK;

/* Return whether a and b are the same file. */
static inline bool files_are_one(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Return whether fd is a regular file that is not empty. */
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
 * Limit of the size of one record (such as a line) of a file, in bytes. If a read has left room for
 * another record in the kernel's buffer, it has reached the end of the file, and no further read is
 * needed.
 */
enum file_read {
	FILE_LINES   = 64,
	FILE_RECORDS = 1024,
	FILE_TO_END  = FILE_BYTES_MAX,	/* unknown: read until read(2) returns 0 */
};

/*
 * Return the first line of a file below the root, without surrounding blanks, truncated to size
 * bytes, and stored in buf; empty if the file cannot be read.
 */
struct str files_line(const struct files *f, const char *path, char *buf, size_t size);

/*
 * Read a whole file into b, and keep its descriptor for the next call. *ret is valid until b
 * changes. A file that could not be opened before is tried again only if .again is set; a file that
 * could not be read is opened again. Returns 0 or -errno.
 */
int files_read(struct files *f, const char *path, enum file_read how, struct buf *b,
	       struct str *ret) MUST_CHECK;

/*
 * Read a whole file, from offset 0, through a descriptor that the caller has opened; it must not be
 * a pipe. Replaces the contents of b; *ret is valid until b changes. Returns 0 or -errno; -EFBIG if
 * the file has FILE_BYTES_MAX bytes or more.
 */
int files_read_fd(int fd, enum file_read how, struct buf *b, struct str *ret) MUST_CHECK;

/* Close the descriptor that files_read() keeps for a path, because its device is gone. */
COLD void files_forget(struct files *f, const char *path);

/* Close all files that were not read since the last sweep, because their devices are gone. */
COLD void files_sweep(struct files *f);
