/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_names.c - FUSE requests that look up, create, rename and remove names */
#include "filetrace/mount/fs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void fs_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs_call c;
	struct fuse_entry_param entry;
	call_begin(&c, req, OP_STAT);
	int r = call_enter(&c, parent, name);
	if (r == 0)
		r = call_entry(&c, parent, name, &entry);
	call_leave(&c);
	c.e.is_dir = r == 0 && S_ISDIR(entry.attr.st_mode);
	reply_entry(&c, r, &entry);
}

static void fs_forget(fuse_req_t req, fuse_ino_t ino, uint64_t lookups)
{
	struct fs *fs = fuse_req_userdata(req);
	node_forget(&fs->nodes, node_of_number(&fs->nodes, ino), lookups);
	fuse_reply_none(req);
}

static void fs_forget_multi(fuse_req_t req, size_t n, struct fuse_forget_data *forgets)
{
	struct fs *fs = fuse_req_userdata(req);
	for (size_t i = 0; i < n; i++)
		node_forget(&fs->nodes, node_of_number(&fs->nodes, forgets[i].ino),
			    forgets[i].nlookup);
	fuse_reply_none(req);
}

static void fs_make_entry(struct fs_call *c, fuse_ino_t parent, const char *name,
			  int (*made)(const struct fs_call *c, const void *arg), const void *arg)
{
	struct fuse_entry_param entry;
	int r = call_enter(c, parent, name);
	if (r == 0 && made(c, arg) < 0)
		r = -errno;
	if (r == 0)
		r = call_entry(c, parent, name, &entry);
	call_leave(c);
	reply_entry(c, r, &entry);
}

static int fs_make_directory(const struct fs_call *c, const void *arg)
{
	return mkdir(c->path, *(const mode_t *)arg);
}

static void fs_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct fs_call c;
	call_begin(&c, req, OP_MKDIR);
	c.e.is_dir = true;
	c.e.mode = mode & ~c.umask & 07777;
	fs_make_entry(&c, parent, name, fs_make_directory, &mode);
}

struct special {
	mode_t mode;
	dev_t device;
};

static int fs_make_special(const struct fs_call *c, const void *arg)
{
	const struct special *s = arg;
	return mknod(c->path, s->mode, s->device);
}

static void fs_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
	struct fs_call c;
	call_begin(&c, req, OP_MKNOD);
	c.e.mode = mode & ~c.umask & 07777;
	fs_make_entry(&c, parent, name, fs_make_special, &(struct special){ mode, device });
}

static int fs_make_symlink(const struct fs_call *c, const void *arg)
{
	return symlink(arg, c->path);
}

static void fs_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	struct fs_call c;
	call_begin(&c, req, OP_SYMLINK);
	c.e.text = str_of(target);
	fs_make_entry(&c, parent, name, fs_make_symlink, target);
}

static void fs_put_shadow_path(const struct fs *fs, const char *path, struct buf *b)
{
	buf_add(b, str_of(fs->shadow));
	buf_add_char(b, '/');
	buf_add(b, str_of(path));
}

/* Create a hard link. The record's path is the existing file, its text the new name. */
static void fs_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	struct fs_call c;
	struct buf to CLEANUP(buf_free) = { 0 };
	struct fuse_entry_param entry;
	char from[PATH_MAX];
	bool follow;

	call_begin(&c, req, OP_LINK);
	int r = call_enter(&c, parent, name);
	struct fs_node *existing = node_of_number(&c.fs->nodes, ino);
	if (r == 0)
		r = node_path(&c.fs->nodes, existing, NULL, from, &follow);
	bool found = r == 0;
	if (r == 0 && linkat(AT_FDCWD, from, AT_FDCWD, c.path, follow ? AT_SYMLINK_FOLLOW : 0) < 0)
		r = -errno;
	if (r == 0)
		r = call_entry(&c, parent, name, &entry);
	call_leave(&c);
	fs_put_shadow_path(c.fs, c.path, &to);
	c.e.text = buf_str(&to);
	if (found) {
		snprintf(c.path, sizeof(c.path), "%s", from);
		c.follow = follow;
		if (follow)
			node_opened_path(&c.fs->nodes, existing, c.opened_as);
	}
	reply_entry(&c, r, &entry);
}

static void fs_remove_name(struct fs_call *c, fuse_ino_t parent, const char *name,
			   int (*removed)(const char *path))
{
	struct nodes *n = &c->fs->nodes;
	c->e.is_dir = S_ISDIR(node_type(n, node_of_number(n, parent), name));
	int r = call_enter(c, parent, name);
	if (r == 0 && removed(c->path) < 0)
		r = -errno;
	if (r == 0)
		node_unlinked(n, node_of_number(n, parent), name);
	call_leave(c);
	reply_result(c, r);
}

static void fs_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs_call c;
	call_begin(&c, req, OP_UNLINK);
	fs_remove_name(&c, parent, name, unlink);
}

static void fs_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs_call c;
	call_begin(&c, req, OP_UNLINK);
	fs_remove_name(&c, parent, name, rmdir);
}

/* Rename with the write lock on paths, so that no other request uses a path meanwhile. */
static int fs_rename_locked(struct fs_call *c, fuse_ino_t parent, const char *name,
			    fuse_ino_t to_parent, const char *to_name, unsigned int flags,
			    char to[PATH_MAX])
{
	struct nodes *n = &c->fs->nodes;
	struct fs_node *from_dir = node_of_number(n, parent);
	struct fs_node *to_dir = node_of_number(n, to_parent);
	bool follow;

	pthread_rwlock_wrlock(&n->paths);
	c->at = node_path(n, from_dir, name, c->path, &c->follow);
	int r = c->at ? c->at : node_path(n, to_dir, to_name, to, &follow);
	if (r == 0)
		r = caller_enter(&c->as, c->umask);
	if (r == 0) {
		if (renameat2(AT_FDCWD, c->path, AT_FDCWD, to, flags) < 0)
			r = -errno;
		else
			node_renamed(n, from_dir, name, to_dir, to_name, flags & RENAME_EXCHANGE);
		caller_leave(&c->as);
	}
	pthread_rwlock_unlock(&n->paths);
	return r;
}

static void fs_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to_parent,
		      const char *to_name, unsigned int flags)
{
	struct fs_call c;
	struct buf text CLEANUP(buf_free) = { 0 };
	char to[PATH_MAX] = "";
	call_begin(&c, req, OP_RENAME);
	c.e.is_dir = S_ISDIR(node_type(&c.fs->nodes, node_of_number(&c.fs->nodes, parent), name));
	int r = fs_rename_locked(&c, parent, name, to_parent, to_name, flags, to);
	fs_put_shadow_path(c.fs, to, &text);
	c.e.text = buf_str(&text);
	reply_result(&c, r);
}

static void fs_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct fs_call c;
	char target[PATH_MAX + 1];
	call_begin(&c, req, OP_READLINK);
	int r = call_enter(&c, ino, NULL);
	if (r == 0) {
		ssize_t n = readlink(c.path, target, PATH_MAX);
		if (n < 0)
			r = -errno;
		else
			target[n] = '\0';
	}
	call_leave(&c);
	call_end(&c, r);
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_readlink(req, target);
}

/*
 * The requests that this file system serves. Requests of flock(2) and fcntl(2) for file locks are
 * left out, so that the kernel keeps the locks for all users of the mount.
 */
const struct fuse_lowlevel_ops fs_operations = {
	.lookup = fs_lookup, .forget = fs_forget, .forget_multi = fs_forget_multi,
	.mkdir = fs_mkdir, .mknod = fs_mknod, .symlink = fs_symlink, .link = fs_link,
	.unlink = fs_unlink, .rmdir = fs_rmdir, .rename = fs_rename, .readlink = fs_readlink,
	.getattr = fs_getattr, .setattr = fs_setattr, .access = fs_access, .statfs = fs_statfs,
	.getxattr = fs_getxattr, .setxattr = fs_setxattr, .listxattr = fs_listxattr,
	.removexattr = fs_removexattr,
	.open = fs_open, .create = fs_create, .read = fs_read, .write = fs_write,
	.flush = fs_flush, .release = fs_release, .fsync = fs_fsync, .fallocate = fs_fallocate,
	.lseek = fs_lseek, .copy_file_range = fs_copy,
	.opendir = fs_opendir, .readdir = fs_readdir, .readdirplus = fs_readdirplus,
	.releasedir = fs_releasedir, .fsyncdir = fs_fsync,
};
