/* SPDX-License-Identifier: BSD-3-Clause */
/* fs.h - the FUSE file system, and the state of one request */
#pragma once

#define FUSE_USE_VERSION 35
#include <fuse3/fuse_lowlevel.h>
#include "base/clock.h"
#include "filetrace/mount/caller.h"
#include "filetrace/event.h"
#include "filetrace/nodes.h"
#include "filetrace/recorder.h"
#include "filetrace/mount/sender.h"

/* largest size of one request, in bytes: 256 pages, the kernel's limit (fs/fuse) */
#define FS_READ_MAX (1 << 20)

/*
 * The file system. The working directory of the process is the root of the served files, even if
 * the mount hides it.
 */
struct fs {
	struct nodes nodes;
	/* absolute paths of the traced directory and of the mount point */
	const char *shadow, *mount;
	/* seconds for which the kernel may cache names and attributes */
	double timeout;
	uint32_t recorded;		/* set of operations to record */
	int64_t slow;			/* least duration of a recorded operation, in nanoseconds */
	pid_t pid;			/* process to record, or 0 for all */
	const char *job;		/* job to record, or NULL for all */
	bool with_owner;
	struct trace_recorder_form form;
	struct trace_recorder to;
	struct xrootd_sender *xrootd;		/* sends accesses to a receiver; or NULL */
	/* descriptor of /dev/fuse; 0 if passthrough.h is not used */
	int device;
};

struct fs_call {
	struct fs *fs;
	fuse_req_t req;
	struct caller as;
	mode_t umask;
	/* start of the request, in nanoseconds of CLOCK_MONOTONIC */
	int64_t began;
	struct event e;
	struct handle *handle;		/* the open file, or NULL */
	int at;				/* 0 if .path is valid, otherwise -errno */
	bool follow;			/* .path is a link in /proc to the file: follow it */
	char path[PATH_MAX];
	char opened_as[PATH_MAX];	/* if .follow: path by which the file was opened */
};

static inline struct handle *handle_of(const struct fuse_file_info *fi)
{
	return (struct handle *)(uintptr_t)fi->fh;
}

void call_begin(struct fs_call *c, fuse_req_t req, enum operation op);

/*
 * Build the path of a node, or of a name in the node, and take on the caller's rights. Path and
 * rights stay until call_leave(), which must follow even after an error. Returns c->at.
 */
int call_enter(struct fs_call *c, fuse_ino_t node, const char *name);
void call_leave(struct fs_call *c);

/*
 * Prepare an operation on an open file. c->path is set only for the record; the thread keeps this
 * program's rights.
 */
void call_enter_open(struct fs_call *c, struct handle *h);

/*
 * Stat the file at c->path as lstat(2) does; also works for an open file without a name. Returns 0
 * or -errno.
 */
int call_stat(const struct fs_call *c, struct stat *st);

/*
 * Fill in the entry of a name that was just created or found, and count a lookup of its node.
 * Returns 0 or -errno.
 */
int call_entry(struct fs_call *c, fuse_ino_t parent, const char *name,
	       struct fuse_entry_param *entry);

/*
 * Create the handle of a file or directory that was opened at c->path. handle_end() closes the
 * descriptor.
 */
struct handle *handle_new(struct fs_call *c, int fd, struct fs_node *node);
void handle_end(struct fs *fs, struct handle *h);

/*
 * Finish the operation with result 0 or -errno, and record it. Call this before the reply, while
 * the process still waits and can be identified.
 */
void call_end(struct fs_call *c, int result);

/* Call call_end() and send the reply. */
void reply_result(struct fs_call *c, int result);
void reply_entry(struct fs_call *c, int result, const struct fuse_entry_param *entry);

extern const struct fuse_lowlevel_ops fs_operations;

/* The FUSE requests, implemented in fs_*.c. */
void fs_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	       struct fuse_file_info *fi);
void fs_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void fs_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
	      struct fuse_file_info *fi);
void fs_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void fs_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t n,
		  struct fuse_file_info *fi);
void fs_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence, struct fuse_file_info *fi);
void fs_copy(fuse_req_t req, fuse_ino_t in, off_t off_in, struct fuse_file_info *fi_in,
	     fuse_ino_t out, off_t off_out, struct fuse_file_info *fi_out, size_t n, int flags);

void fs_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void fs_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi);
void fs_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);

void fs_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int set,
		struct fuse_file_info *fi);
void fs_access(fuse_req_t req, fuse_ino_t ino, int mask);
void fs_statfs(fuse_req_t req, fuse_ino_t ino);
void fs_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size);
void fs_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size,
		 int flags);
void fs_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size);
void fs_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name);
