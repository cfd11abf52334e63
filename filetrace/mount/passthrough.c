/* SPDX-License-Identifier: BSD-3-Clause */
/* passthrough.c - let the kernel read and write files itself (linux/fuse.h, 7.40) */
#include "filetrace/mount/passthrough.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/privileges.h"

/* Constants that are missing from headers before Linux 6.9 or 5.17. */
#define INIT_KILLS           (1u << 28)	/* Linux: FUSE_HANDLE_KILLPRIV_V2 */
#define INIT_EXTENDED        (1u << 30)	/* Linux: FUSE_INIT_EXT; member .flags2 is present */
#define INIT_PASSTHROUGH     (1u << 5)	/* Linux: FUSE_PASSTHROUGH, in .flags2 */
#define OPEN_PASSTHROUGH     (1u << 7)	/* Linux: FOPEN_PASSTHROUGH */
/* Linux: FILESYSTEM_MAX_STACK_DEPTH; the traced file system must have a smaller depth */
#define STACK_DEPTH_MAX      2

struct init_in {
	uint32_t major, minor, max_readahead, flags, flags2;
};

struct init_out {
	uint32_t major, minor, max_readahead, flags;
	uint16_t max_background, congestion_threshold;
	uint32_t max_write, time_gran;
	uint16_t max_pages, map_alignment;
	uint32_t flags2, max_stack_depth, unused[6];
};

struct open_out {
	uint64_t fh;
	uint32_t open_flags;
	int32_t backing_id;
};

struct backing_map {
	int32_t fd;
	uint32_t flags;
	uint64_t padding;
};

#define BACKING_OPEN  _IOW(229, 1, struct backing_map)	/* Linux: FUSE_DEV_IOC_BACKING_OPEN */
#define BACKING_CLOSE _IOW(229, 2, uint32_t)

/*
 * Return the features that the kernel offers in its INIT request; all zero if the request is too
 * short.
 */
static struct init_in passthrough_offer_of(const struct fuse_buf *request)
{
	struct fuse_in_header head;
	struct init_in in = { 0 };
	if (request->size >= sizeof(head) + sizeof(in))
		memcpy(&in, (const char *)request->mem + sizeof(head), sizeof(in));
	return in;
}

/*
 * Add the fields that libfuse does not know to its reply to FUSE_INIT, and send the reply to the
 * kernel. The added flags also promise that this file system clears set-user-ID bits on writes, as
 * the kernel would otherwise ask for an attribute of the file before each write.
 */
static int passthrough_forward_reply(int device, int answers, struct init_in in)
{
	struct {
		struct fuse_out_header head;
		struct init_out init;
	} out;
	ssize_t n = read(answers, &out, sizeof(out));
	if (n < 0)
		return -errno;
	bool can = (in.flags & INIT_EXTENDED) && (in.flags2 & INIT_PASSTHROUGH) &&
		   n == sizeof(out) && out.head.error == 0;
	if (can) {
		out.init.flags |= INIT_EXTENDED | (in.flags & INIT_KILLS);
		out.init.flags2 |= INIT_PASSTHROUGH;
		out.init.max_stack_depth = STACK_DEPTH_MAX;
	}
	if (write(device, &out, (size_t)n) != n)
		return -errno;
	return can ? 0 : -EOPNOTSUPP;
}

/* Put a pipe in place of the device while libfuse replies, then forward the reply to the device. */
static int passthrough_answer_init(struct fuse_session *s, const struct fuse_buf *request,
				   const int pipe_ends[2])
{
	int fd = fuse_session_fd(s);
	int device CLEANUP(close_fd) = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (device < 0 || dup3(pipe_ends[1], fd, O_CLOEXEC) < 0)
		return -errno;
	fuse_session_process_buf(s, request);
	if (dup3(device, fd, O_CLOEXEC) < 0)
		return -errno;
	return passthrough_forward_reply(device, pipe_ends[0], passthrough_offer_of(request));
}

int passthrough_start(struct fuse_session *s)
{
	struct fuse_buf request = { 0 };
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	int r = fuse_session_receive_buf(s, &request);
	r = r > 0 ? passthrough_answer_init(s, &request, ends) : r < 0 ? r : -ENODEV;
	free(request.mem);
	close(ends[0]);
	close(ends[1]);
	return r;
}

/*
 * Register a file with the kernel. Returns its number, or 0. The kernel writes the file with the
 * rights that this thread has now, so first drop the rights to bypass quotas and to keep
 * set-user-ID bits.
 */
static int32_t passthrough_register_file(struct fs_call *c, int fd)
{
	struct backing_map map = { .fd = fd };
	uint64_t saved = privileges_left();
	if (privileges_use((saved | PRIVILEGE_ADMIN) &
			   ~(PRIVILEGE_FSETID | PRIVILEGE_RESOURCE)) < 0)
		return 0;
	caller_enter_user(&c->as);	/* this call drops more capabilities */
	int id = ioctl(c->fs->device, BACKING_OPEN, &map);
	caller_leave_user(&c->as);
	privileges_lower(saved);
	return id > 0 ? id : 0;
}

/*
 * Return false for a set-user-ID or set-group-ID file: whether a write keeps these bits depends on
 * the writing process, which the kernel names only in requests.
 */
static bool passthrough_is_allowed(const struct handle *h)
{
	struct stat st;
	return fstat(h->fd, &st) == 0 && !(st.st_mode & (S_ISUID | S_ISGID));
}

/*
 * Return the kernel's number for the underlying file, registering the file at its first open. The
 * kernel requires all handles of a file to use one number or none. The kernel then uses the rights
 * of the first opener for all of them.
 */
static int32_t passthrough_get_backing(struct fs_call *c)
{
	struct fs *fs = c->fs;
	struct handle *h = c->handle;
	if (!fs->device)
		return 0;
	pthread_mutex_lock(&fs->nodes.lock);
	bool first = h->node->open == h && !h->next;
	if (first && passthrough_is_allowed(h))
		h->node->backing = passthrough_register_file(c, h->fd);
	int32_t id = h->node->backing;
	pthread_mutex_unlock(&fs->nodes.lock);
	return id;
}

void passthrough_end(const struct fs *fs, int32_t backing)
{
	uint32_t id = (uint32_t)backing;
	if (!id)
		return;
	uint64_t saved = privileges_raise(PRIVILEGE_ADMIN);
	ioctl(fs->device, BACKING_CLOSE, &id);
	privileges_lower(saved);
}

static struct open_out passthrough_open_out(const struct fuse_file_info *fi, int32_t id)
{
	return (struct open_out){ .fh = fi->fh, .open_flags = OPEN_PASSTHROUGH, .backing_id = id };
}

int passthrough_reply_open(struct fs_call *c, const struct fuse_file_info *fi)
{
	int32_t id = passthrough_get_backing(c);
	if (id == 0)
		return fuse_reply_open(c->req, fi);
	struct open_out open = passthrough_open_out(fi, id);
	struct iovec part = { &open, sizeof(open) };
	return fuse_reply_iov(c->req, &part, 1);
}

static void passthrough_split_seconds(double timeout, uint64_t *seconds, uint32_t *ns)
{
	*seconds = (uint64_t)timeout;
	*ns = (uint32_t)((timeout - (double)*seconds) * 1e9);
}

static struct fuse_entry_out passthrough_entry_out(const struct fuse_entry_param *e)
{
	const struct stat *st = &e->attr;
	struct fuse_entry_out out = {
		.nodeid = e->ino, .generation = e->generation,
		.attr = {
			.ino = st->st_ino, .size = (uint64_t)st->st_size,
			.blocks = (uint64_t)st->st_blocks,
			.atime = (uint64_t)st->st_atim.tv_sec,
			.mtime = (uint64_t)st->st_mtim.tv_sec,
			.ctime = (uint64_t)st->st_ctim.tv_sec,
			.atimensec = (uint32_t)st->st_atim.tv_nsec,
			.mtimensec = (uint32_t)st->st_mtim.tv_nsec,
			.ctimensec = (uint32_t)st->st_ctim.tv_nsec,
			.mode = st->st_mode, .nlink = (uint32_t)st->st_nlink,
			.uid = st->st_uid, .gid = st->st_gid, .rdev = (uint32_t)st->st_rdev,
			.blksize = (uint32_t)st->st_blksize,
		},
	};
	passthrough_split_seconds(e->entry_timeout, &out.entry_valid, &out.entry_valid_nsec);
	passthrough_split_seconds(e->attr_timeout, &out.attr_valid, &out.attr_valid_nsec);
	return out;
}

int passthrough_reply_create(struct fs_call *c, const struct fuse_entry_param *entry,
			     const struct fuse_file_info *fi)
{
	int32_t id = passthrough_get_backing(c);
	if (id == 0)
		return fuse_reply_create(c->req, entry, fi);
	struct fuse_entry_out found = passthrough_entry_out(entry);
	struct open_out open = passthrough_open_out(fi, id);
	struct iovec parts[] = { { &found, sizeof(found) }, { &open, sizeof(open) } };
	return fuse_reply_iov(c->req, parts, ARRAY_SIZE(parts));
}
