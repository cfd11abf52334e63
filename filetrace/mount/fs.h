/* SPDX-License-Identifier: BSD-3-Clause */
/* fs.h - the file system in user space: what it serves from, and a request while it is served */
#pragma once

#define FUSE_USE_VERSION 35
#include <fuse3/fuse_lowlevel.h>
#include "base/clock.h"
#include "tracers/files/mount/caller.h"
#include "tracers/files/event.h"
#include "tracers/files/nodes.h"
#include "tracers/files/recorder.h"
#include "tracers/files/mount/sender.h"

#define FS_READ_MAX (1 << 20)	/* bytes of a request: 256 pages, the kernel's limit (fs/fuse) */

/* The process' working directory is the root of what is served, also where the mount hides it. */
struct fs {
	struct nodes nodes;
	const char *shadow, *mount;	/* as absolute paths */
	double timeout;			/* seconds that the kernel may keep names and attributes */
	uint32_t recorded;		/* operations, as a set */
	int64_t slow;			/* nanoseconds: what is faster is not recorded */
	pid_t pid;			/* 0: of all processes */
	const char *job;		/* NULL: of all jobs */
	bool with_owner;
	struct trace_recorder_form form;
	struct trace_recorder to;
	struct sender *xrootd;		/* NULL: nothing is sent */
	int device;			/* of passthrough.h: /dev/fuse, or 0 */
};

struct call {
	struct fs *fs;
	fuse_req_t req;
	struct caller as;
	mode_t umask;
	int64_t began;			/* CLOCK_MONOTONIC */
	struct event e;
	struct handle *handle;		/* of an open file, or NULL */
	int at;				/* 0: .path may be used; -errno */
	bool follow;			/* .path is a link of /proc to the file */
	char path[PATH_MAX];
	char opened_as[PATH_MAX];	/* where .follow is true */
};

static inline struct handle *handle_of(const struct fuse_file_info *fi)
{
	return (struct handle *)(uintptr_t)fi->fh;
}

void call_begin(struct call *c, fuse_req_t req, enum operation op);

/*
 * A path, of a node or of a name in it, that holds until call_leave(); operations are the
 * caller's meanwhile. Returns c->at.
 */
int call_enter(struct call *c, fuse_ino_t node, const char *name);
void call_leave(struct call *c);

/* The same of an open file: the path is for the record only, and the rights are our own. */
void call_enter_open(struct call *c, struct handle *h);

/* As lstat(2), but of a file that is open and has no name left. 0 or -errno. */
int call_stat(const struct call *c, struct stat *st);

/* The entry for a name that was just made or found. 0 or -errno. */
int call_entry(struct call *c, fuse_ino_t parent, const char *name, struct fuse_entry_param *entry);

/* Of what was opened at c->path. Its end closes it, a directory, too. */
struct handle *handle_new(struct call *c, int fd, struct node *node);
void handle_end(struct fs *fs, struct handle *h);

/* The operation has ended, with 0 or -errno: it is recorded while its process still waits. */
void call_end(struct call *c, int result);

/* Ends the call and answers. */
void reply_result(struct call *c, int result);
void reply_entry(struct call *c, int result, const struct fuse_entry_param *entry);

extern const struct fuse_lowlevel_ops fs_operations;

/* Parts of the table above. */
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
