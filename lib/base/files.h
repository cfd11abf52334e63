/* SPDX-License-Identifier: BSD-3-Clause */
/* files.h - files below a root directory that are read again and again: opened once, kept open */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/str.h"

#define FILE_BYTES_MAX (64u << 20)	/* no file the agent reads is larger */

struct file;

/*
 * Paths are relative ("proc/stat"). Below a root that is not "/", absolute symbolic links resolve
 * inside it too (openat2(2), RESOLVE_IN_ROOT). Opens never wait (O_NONBLOCK), so a FIFO in a
 * fixture tree gives an error at once, unless .wait says that waiting is somebody else's concern.
 */
struct files {
	int rootfd;
	bool in_root;		/* the root is a captured tree, not this machine's own */
	bool wait;
	bool again;		/* try files again that were not there the last time */
	struct file *file;
	size_t cap;
	uint32_t n;
	uint32_t last;		/* the one that was asked for last: it knows which comes next */
};

/*
 * Writes a file of this machine whole, under a name of this process's own, and puts it into its
 * place: a reader sees the old one or the new one. All users can read the file. 0 or -errno, which
 * is -EEXIST where a device is.
 */
int files_replace(const char *path, struct str text) MUST_CHECK;

/* The same for a file, or a device, that a user asked for: the umask says who may read it. */
int files_publish(const char *path, struct str text) MUST_CHECK;

/* bind(2) of a local socket whose file has this mode, whatever the umask. 0 or -errno. */
struct sockaddr_un;
int files_bind(int fd, const struct sockaddr_un *at, mode_t mode) MUST_CHECK;

/* All of the text, however many write(2) it takes. 0 or -errno. */
int files_write(int fd, struct str text) MUST_CHECK;

/* The same; where fd is a terminal, "?" stands in its lines for what commands it (base/utf8.h). */
int files_print(int fd, struct buf *text) MUST_CHECK;

/* flock(2), exclusive. 0, -ETIMEDOUT: another has had it for so many milliseconds, or -errno. */
int files_lock(int fd, int timeout_ms) MUST_CHECK;
void files_unlock(int fd);

/*
 * A file that root makes for a hook or from cron belongs to whoever owns the folder, so that the
 * agent can go on with it. 0, which is all that another user gets, or -errno.
 */
int files_own(int dirfd, int fd) MUST_CHECK;

/* Whether both are of one file. */
static inline bool files_are_one(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Whether fd is a regular file that is not empty. */
bool files_has_content(int fd);

void close_fd(int *fd);			/* for CLEANUP(); leaves negative ones alone */

/* How many descriptors this process may have, RLIMIT_NOFILE of getrlimit(2). */
size_t files_open_max(void);

/* Opens the root directory. 0 or -errno. */
int files_open_root(struct files *f, const char *root) MUST_CHECK;
void files_free(struct files *f);

/* A new descriptor for a path below the root, for the caller to close, or -errno. */
COLD int files_open(const struct files *f, const char *path, int flags) MUST_CHECK;

/* Made of records of fewer bytes: then the size of a reply may prove that it is the last one. */
enum file_read {
	FILE_LINES   = 64,
	FILE_RECORDS = 1024,
	FILE_TO_END  = FILE_BYTES_MAX,	/* may hold larger ones: read until the kernel says 0 */
};

/* The first line of a file below the root without blanks around it, cut to size; or nothing. */
struct str files_line(const struct files *f, const char *path, char *buf, size_t size);

/*
 * Reads the whole file into b from its start; *ret borrows from b until b's next use. The
 * descriptor is kept for the next call. 0 or -errno; a file that could not be opened is not tried
 * again until .again says so, one that could not be read is opened again.
 */
int files_read(struct files *f, const char *path, enum file_read how, struct buf *b,
	       struct str *ret) MUST_CHECK;

/* The same from a descriptor that the caller keeps open. 0 or -errno. */
int files_read_fd(int fd, enum file_read how, struct buf *b, struct str *ret) MUST_CHECK;

/* Closes what files_read() keeps for this path, if anything: its device has gone. */
COLD void files_forget(struct files *f, const char *path);

/* Forgets every file that was not read since the last sweep: their devices have gone. */
COLD void files_sweep(struct files *f);
