/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_attrs.c - FUSE requests that read and set attributes of files and of the file system */
#include "filetrace/mount/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "base/system/privileges.h"

static void fs_reply_attributes(struct fs_call *c, int result, const struct stat *st)
{
	call_end(c, result);
	if (result < 0)
		fuse_reply_err(c->req, -result);
	else
		fuse_reply_attr(c->req, st, c->fs->timeout);
}

void fs_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct fs_call c;
	struct stat st;
	(void)fi;	/* the kernel passes no file, not even for fstat(2) */
	call_begin(&c, req, OP_STAT);
	int r = call_enter(&c, ino, NULL);
	if (r == 0)
		r = call_stat(&c, &st);
	call_leave(&c);
	fs_reply_attributes(&c, r, &st);
}

static struct timespec fs_time_to_set(int set, int given, int now, struct timespec t)
{
	if (set & now)
		t.tv_nsec = UTIME_NOW;
	else if (!(set & given))
		t.tv_nsec = UTIME_OMIT;
	return t;
}

/*
 * Set all requested attributes. The size comes before the times, as a change of size changes the
 * times; the owner comes before the mode, as a change of owner clears the set-user-ID bits.
 */
static int fs_set_attributes(const struct fs_call *c, const struct stat *to, int set,
			     const struct fuse_file_info *fi)
{
	int flags = c->follow ? 0 : AT_SYMLINK_NOFOLLOW;
	if ((set & FUSE_SET_ATTR_SIZE) &&
	    (fi ? ftruncate(handle_of(fi)->fd, to->st_size) : truncate(c->path, to->st_size)) < 0)
		return -errno;
	if ((set & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) &&
	    fchownat(AT_FDCWD, c->path, set & FUSE_SET_ATTR_UID ? to->st_uid : (uid_t)-1,
		     set & FUSE_SET_ATTR_GID ? to->st_gid : (gid_t)-1, flags) < 0)
		return -errno;
	if ((set & FUSE_SET_ATTR_MODE) && chmod(c->path, to->st_mode) < 0)
		return -errno;
	if (set & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME)) {
		const struct timespec times[] = {
			fs_time_to_set(set, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW,
				       to->st_atim),
			fs_time_to_set(set, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW,
				       to->st_mtim),
		};
		if (utimensat(AT_FDCWD, c->path, times, flags) < 0)
			return -errno;
	}
	return 0;
}

void fs_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int set,
		struct fuse_file_info *fi)
{
	struct fs_call c;
	struct stat st;
	call_begin(&c, req, OP_SETATTR);
	int r = call_enter(&c, ino, NULL);
	if (r == 0)
		r = fs_set_attributes(&c, attr, set, fi);
	if (r == 0)
		r = call_stat(&c, &st);
	call_leave(&c);
	fs_reply_attributes(&c, r, &st);
}

void fs_access(fuse_req_t req, fuse_ino_t ino, int mask)
{
	struct fs_call c;
	call_begin(&c, req, OP_ACCESS);
	c.e.flags = (uint32_t)mask & (R_OK | W_OK | X_OK);
	int r = call_enter(&c, ino, NULL);
	if (r == 0 && faccessat(AT_FDCWD, c.path, (int)c.e.flags, AT_EACCESS) < 0)
		r = -errno;
	call_leave(&c);
	reply_result(&c, r);
}

void fs_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct fs_call c;
	struct statvfs st;
	call_begin(&c, req, OP_STATFS);
	int r = call_enter(&c, ino, NULL);
	if (r == 0 && statvfs(c.path, &st) < 0)
		r = -errno;
	call_leave(&c);
	c.e.is_dir = true;	/* the path is that of the mount point */
	call_end(&c, r);
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_statfs(req, &st);
}

/* Reply to getxattr(2) or listxattr(2) with the length if size is 0, else with the value. */
static void fs_reply_value(struct fs_call *c, ssize_t n, const char *value, size_t size)
{
	call_end(c, n < 0 ? (int)n : 0);
	if (n < 0)
		fuse_reply_err(c->req, (int)-n);
	else if (size == 0)
		fuse_reply_xattr(c->req, (size_t)n);
	else
		fuse_reply_buf(c->req, value, (size_t)n);
}

/* Raise CAP_SYS_ADMIN if the caller is root, for the attributes trusted.* and security.*. */
static uint64_t fs_raise_for_root(const struct fs_call *c)
{
	return c->as.uid == 0 ? privileges_raise(PRIVILEGE_ADMIN) : 0;
}

/* Read the attribute `name`, or the list of names if name is NULL. */
static void fs_read_xattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct fs_call c;
	char *value = xrealloc(NULL, size ? size : 1);
	call_begin(&c, req, name ? OP_GETXATTR : OP_LISTXATTR);
	if (name)
		c.e.text = str_of(name);
	else
		c.e.size = size;
	ssize_t n = call_enter(&c, ino, NULL);
	if (n == 0) {
		uint64_t saved = fs_raise_for_root(&c);
		if (name)
			n = c.follow ? getxattr(c.path, name, value, size)
				     : lgetxattr(c.path, name, value, size);
		else
			n = c.follow ? listxattr(c.path, value, size)
				     : llistxattr(c.path, value, size);
		n = n < 0 ? -errno : n;
		privileges_lower(saved);
	}
	call_leave(&c);
	fs_reply_value(&c, n, value, size);
	free(value);
}

void fs_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	fs_read_xattr(req, ino, name, size);
}

void fs_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	fs_read_xattr(req, ino, NULL, size);
}

/* Set the attribute `name`, or remove it if value is NULL. */
static void fs_change_xattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value,
			    size_t size, int flags)
{
	struct fs_call c;
	call_begin(&c, req, value ? OP_SETXATTR : OP_REMOVEXATTR);
	c.e.text = str_of(name);
	int r = call_enter(&c, ino, NULL);
	if (r == 0) {
		uint64_t saved = fs_raise_for_root(&c);
		if (value)
			r = c.follow ? setxattr(c.path, name, value, size, flags)
				     : lsetxattr(c.path, name, value, size, flags);
		else
			r = c.follow ? removexattr(c.path, name) : lremovexattr(c.path, name);
		r = r < 0 ? -errno : 0;
		privileges_lower(saved);
	}
	call_leave(&c);
	reply_result(&c, r);
}

void fs_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size,
		 int flags)
{
	fs_change_xattr(req, ino, name, value, size, flags);
}

void fs_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	fs_change_xattr(req, ino, name, NULL, 0, 0);
}
