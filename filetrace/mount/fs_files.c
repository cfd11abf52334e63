/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_files.c - FUSE requests that open, read, write and close files */
#include "filetrace/mount/passthrough.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/files.h"

#define OPEN_FOR_EXEC 0x20	/* Linux: __FMODE_EXEC in fs.h, set if execve(2) opens the file */

struct handle *handle_new(struct fs_call *c, int fd, struct fs_node *node)
{
	struct buf executable CLEANUP(buf_free) = { 0 };
	struct handle *h = xrealloc(NULL, sizeof(*h));
	pid_t process = caller_process(c->as.thread);
	caller_executable(process, &executable);
	bool in_job = c->fs->job && caller_in_job(process, str_of(c->fs->job));
	*h = (struct handle){
		.fd = fd, .path = xstrdup(str_of(c->path)),
		.by = { c->as.uid, c->as.gid, (uint32_t)process, xstrdup(buf_str(&executable)),
			in_job },
	};
	pthread_mutex_init(&h->reading, NULL);
	node_opened(&c->fs->nodes, node, h);
	return h;
}

void handle_end(struct fs *fs, struct handle *h)
{
	passthrough_end(fs, node_closed(&fs->nodes, h));
	if (h->dir)
		closedir(h->dir);
	else
		close(h->fd);
	pthread_mutex_destroy(&h->reading);
	free(h->by.process);
	free(h->path);
	free(h);
}

/*
 * Open a file that the caller may execute but not read. The file is opened as root, since the
 * kernel reads it to execute it.
 */
static int fs_open_for_execution(const struct fs_call *c)
{
	if (faccessat(AT_FDCWD, c->path, X_OK, AT_EACCESS) < 0)
		return -1;
	caller_leave(&c->as);
	int fd = open(c->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int r = caller_enter(&c->as, c->umask);
	if (r == 0)
		return fd;
	close_fd(&fd);
	errno = -r;
	return -1;
}

/*
 * Open the underlying file, without O_DIRECT, which would require aligned buffers. The kernel still
 * caches no pages of the mounted file for a caller that uses O_DIRECT.
 */
static int fs_open_path(const struct fs_call *c, int flags)
{
	int ours = (flags & ~(O_DIRECT | O_NOFOLLOW | OPEN_FOR_EXEC)) | O_CLOEXEC;
	int fd = open(c->path, ours | (c->follow ? 0 : O_NOFOLLOW));
	if (fd < 0 && errno == EACCES && (flags & OPEN_FOR_EXEC))
		fd = fs_open_for_execution(c);
	return fd < 0 ? -errno : fd;
}

void fs_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct fs_call c;
	struct stat st;
	call_begin(&c, req, OP_OPEN);
	c.e.flags = (uint32_t)fi->flags;
	/* cluefs records the same bits as the mode of an open */
	c.e.mode = (uint32_t)fi->flags & 0777;
	int fd = call_enter(&c, ino, NULL);
	if (fd == 0)
		fd = fs_open_path(&c, fi->flags);
	call_leave(&c);
	if (fd < 0) {
		reply_result(&c, fd);
		return;
	}
	struct handle *h = handle_new(&c, fd, node_of_number(&c.fs->nodes, ino));
	fi->fh = (uintptr_t)h;
	c.handle = h;
	c.e.size = c.fs->xrootd && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	call_end(&c, 0);
	/* -ENOENT: the caller was interrupted before the reply */
	if (passthrough_reply_open(&c, fi) == -ENOENT)
		handle_end(c.fs, h);
}

static int fs_create_named(struct fs_call *c, fuse_ino_t parent, const char *name, int flags,
			   mode_t mode, struct fuse_entry_param *entry)
{
	int r = call_enter(c, parent, name), fd = -1;
	if (r == 0) {
		fd = open(c->path, flags | O_CREAT | O_NOFOLLOW, mode);
		r = fd < 0 ? -errno : call_entry(c, parent, name, entry);
	}
	if (r < 0)
		close_fd(&fd);
	return r < 0 ? r : fd;
}

/* Create a file for open(2) with O_TMPFILE. The recorded path is that of the directory. */
static int fs_create_nameless(struct fs_call *c, fuse_ino_t dir, int flags, mode_t mode,
			      struct fuse_entry_param *entry)
{
	int r = call_enter(c, dir, NULL);
	int fd = r < 0 ? r : open(c->path, flags & ~O_CREAT, mode);

	c->e.is_dir = false;
	if (fd < 0)
		return r < 0 ? r : -errno;
	*entry = (struct fuse_entry_param){ .attr_timeout = c->fs->timeout };
	if (fstat(fd, &entry->attr) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	struct fs_node *node = node_nameless(&c->fs->nodes, &entry->attr);
	entry->ino = node_number(&c->fs->nodes, node);
	entry->generation = node->generation;
	return fd;
}

void fs_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	       struct fuse_file_info *fi)
{
	struct fs_call c;
	struct fuse_entry_param entry;
	call_begin(&c, req, OP_CREAT);
	c.e.flags = (uint32_t)fi->flags;
	c.e.mode = mode & ~c.umask & 07777;
	int flags = (fi->flags & ~O_DIRECT) | O_CLOEXEC;
	bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
	int fd = nameless ? fs_create_nameless(&c, parent, flags, mode, &entry) :
			    fs_create_named(&c, parent, name, flags, mode, &entry);
	call_leave(&c);
	if (fd < 0) {
		reply_result(&c, fd);
		return;
	}
	struct fs_node *node = node_of_number(&c.fs->nodes, entry.ino);
	struct handle *h = handle_new(&c, fd, node);
	fi->fh = (uintptr_t)h;
	c.handle = h;
	call_end(&c, 0);
	if (passthrough_reply_create(&c, &entry, fi) == -ENOENT) {
		handle_end(c.fs, h);
		node_forget(&c.fs->nodes, node, 1);
	}
}

/*
 * Read `size` bytes, or fewer if the file ends: the kernel would take any short read for the end of
 * the file.
 */
static ssize_t fs_pread_all(int fd, char *to, size_t size, off_t at)
{
	size_t done = 0;
	while (done < size) {
		ssize_t n = pread(fd, to + done, size - done, at + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && done == 0)
			return -errno;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Return this thread's read buffer. */
static char *fs_get_read_buffer(void)
{
	static __thread char room[FS_READ_MAX];
	return room;
}

void fs_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct fs_call c;
	struct stat st;
	char *room = fs_get_read_buffer();
	(void)ino;
	call_begin(&c, req, OP_READ);
	call_enter_open(&c, handle_of(fi));
	ssize_t n = fs_pread_all(c.handle->fd, room, size < FS_READ_MAX ? size : FS_READ_MAX, off);
	c.e.size = fstat(c.handle->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	c.e.position = (uint64_t)off;
	c.e.requested = size;
	c.e.done = n < 0 ? 0 : (uint64_t)n;
	call_end(&c, n < 0 ? (int)n : 0);
	if (n < 0)
		fuse_reply_err(req, (int)-n);
	else
		fuse_reply_buf(req, room, (size_t)n);
}

/* Reply with a number of bytes, or with an error if n is -errno. */
static void fs_reply_written(fuse_req_t req, ssize_t n)
{
	if (n < 0)
		fuse_reply_err(req, (int)-n);
	else
		fuse_reply_write(req, (size_t)n);
}

void fs_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
	      struct fuse_file_info *fi)
{
	struct fs_call c;
	(void)ino;
	call_begin(&c, req, OP_WRITE);
	call_enter_open(&c, handle_of(fi));
	caller_enter_user(&c.as);
	ssize_t n = pwrite(c.handle->fd, buf, size, off);
	if (n < 0)
		n = -errno;
	caller_leave_user(&c.as);
	c.e.position = (uint64_t)off;
	c.e.requested = size;
	c.e.done = n < 0 ? 0 : (uint64_t)n;
	call_end(&c, n < 0 ? (int)n : 0);
	fs_reply_written(req, n);
}

/* Report errors that close(2) of the underlying file would return. This does not sync the file. */
void fs_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct fs_call c;
	(void)ino;
	call_begin(&c, req, OP_FLUSH);
	call_enter_open(&c, handle_of(fi));
	int fd = fcntl(c.handle->fd, F_DUPFD_CLOEXEC, 0);
	reply_result(&c, fd < 0 || close(fd) < 0 ? -errno : 0);
}

/*
 * Close the file. The kernel names no process in this request, so the record has the user "root",
 * as in cluefs. With --owner, the record has the user who opened the file.
 */
void fs_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct fs_call c;
	struct handle *h = handle_of(fi);
	(void)ino;
	call_begin(&c, req, OP_CLOSE);
	call_enter_open(&c, h);
	call_end(&c, 0);
	handle_end(c.fs, h);
	fuse_reply_err(req, 0);
}

/* Sync a file. As .fsyncdir this also syncs a directory. */
void fs_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct fs_call c;
	(void)ino;
	call_begin(&c, req, OP_FSYNC);
	call_enter_open(&c, handle_of(fi));
	int fd = c.handle->fd;
	reply_result(&c, (datasync ? fdatasync(fd) : fsync(fd)) < 0 ? -errno : 0);
}

void fs_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t n,
		  struct fuse_file_info *fi)
{
	struct fs_call c;
	(void)ino;
	call_begin(&c, req, OP_FALLOCATE);
	call_enter_open(&c, handle_of(fi));
	c.e.position = (uint64_t)off;
	c.e.requested = (uint64_t)n;
	reply_result(&c, fallocate(c.handle->fd, mode, off, n) < 0 ? -errno : 0);
}

/* Serve SEEK_DATA and SEEK_HOLE. The kernel handles all other seeks itself. */
void fs_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence, struct fuse_file_info *fi)
{
	struct fs_call c;
	(void)ino;
	call_begin(&c, req, OP_LSEEK);
	call_enter_open(&c, handle_of(fi));
	c.e.position = (uint64_t)off;
	off_t at = lseek(c.handle->fd, off, whence);
	int r = at < 0 ? -errno : 0;
	call_end(&c, r);
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_lseek(req, at);
}

void fs_copy(fuse_req_t req, fuse_ino_t in, off_t off_in, struct fuse_file_info *fi_in,
	     fuse_ino_t out, off_t off_out, struct fuse_file_info *fi_out, size_t n, int flags)
{
	struct fs_call c;
	struct buf to CLEANUP(buf_free) = { 0 };
	(void)in;
	(void)out;
	call_begin(&c, req, OP_COPY);
	call_enter_open(&c, handle_of(fi_in));
	c.e.position = (uint64_t)off_in;
	c.e.requested = n;
	caller_enter_user(&c.as);
	ssize_t done = copy_file_range(c.handle->fd, &off_in, handle_of(fi_out)->fd, &off_out, n,
				       (unsigned int)flags);
	if (done < 0)
		done = -errno;
	caller_leave_user(&c.as);
	c.e.done = done < 0 ? 0 : (uint64_t)done;
	buf_addf(&to, "%s/%s", c.fs->shadow, handle_of(fi_out)->path);
	c.e.text = buf_str(&to);
	call_end(&c, done < 0 ? (int)done : 0);
	/* call_end() has counted only the bytes read; count the bytes written */
	if (c.fs->xrootd && done > 0)
		sender_written(c.fs->xrootd, handle_of(fi_out), c.e.done);
	fs_reply_written(req, done);
}
