/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_dirs.c - FUSE requests that list directories */
#include "filetrace/mount/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Open a directory. cluefs has no record for this, so only readdir is recorded. */
void fs_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct fs_call c;
	call_begin(&c, req, OP_READDIR);
	DIR *dir = NULL;
	int r = call_enter(&c, ino, NULL);
	if (r == 0) {
		int fd = open(c.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		dir = fd < 0 ? NULL : fdopendir(fd);
		r = dir ? 0 : -errno;
		if (!dir && fd >= 0)
			close(fd);
	}
	call_leave(&c);
	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	struct handle *h = handle_new(&c, dirfd(dir), node_of_number(&c.fs->nodes, ino));
	h->dir = dir;
	fi->fh = (uintptr_t)h;
	fi->cache_readdir = 0;
	if (fuse_reply_open(req, fi) == -ENOENT)
		handle_end(c.fs, h);
}

void fs_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	fs_release(req, ino, fi);
}

static bool fs_is_dot_or_dotdot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

struct dir_listing {
	struct fs_call *c;
	fuse_ino_t ino;
	bool plus;
	char *to;
	size_t size, n;
};

/*
 * Add an entry with its attributes if it can be looked up. The kernel then counts a lookup of the
 * entry.
 */
static bool listing_add_with_attributes(struct dir_listing *l, const struct dirent *d)
{
	struct fs_call *c = l->c;
	struct fuse_entry_param entry = {
		.attr.st_ino = d->d_ino, .attr.st_mode = DTTOIF(d->d_type),
	};
	struct stat st;
	bool found = !fs_is_dot_or_dotdot(d->d_name) &&
		     fstatat(c->handle->fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (found) {
		struct nodes *n = &c->fs->nodes;
		struct fs_node *node = node_found(n, node_of_number(n, l->ino), d->d_name, &st);
		entry.attr = st;
		entry.ino = node_number(n, node);
		entry.generation = node->generation;
		entry.attr_timeout = entry.entry_timeout = c->fs->timeout;
	}
	size_t size = fuse_add_direntry_plus(c->req, l->to + l->n, l->size - l->n, d->d_name,
					     &entry, d->d_off);
	if (size > l->size - l->n) {
		if (found)
			node_forget(&c->fs->nodes, node_of_number(&c->fs->nodes, entry.ino), 1);
		return false;
	}
	l->n += size;
	return true;
}

static bool listing_add(struct dir_listing *l, const struct dirent *d)
{
	struct stat st = { .st_ino = d->d_ino, .st_mode = DTTOIF(d->d_type) };
	size_t size = fuse_add_direntry(l->c->req, l->to + l->n, l->size - l->n, d->d_name, &st,
					d->d_off);
	if (size > l->size - l->n)
		return false;
	l->n += size;
	return true;
}

/*
 * Add entries until the buffer is full. Returns 0 or -errno. An error after the first entry is not
 * returned, because the next request will fail with the same error.
 */
static int listing_fill(struct dir_listing *l, DIR *dir, off_t from)
{
	struct dirent *d;
	bool room = true;
	seekdir(dir, from);
	while (room) {
		errno = 0;
		d = readdir(dir);
		if (!d)
			return l->n ? 0 : -errno;
		room = l->plus ? listing_add_with_attributes(l, d) : listing_add(l, d);
	}
	return 0;
}

/* List a directory. The entries are looked up with the rights of the caller. */
static void fs_list_directory(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
			      struct fuse_file_info *fi, bool plus)
{
	struct fs_call c;
	struct handle *h = handle_of(fi);
	struct dir_listing l = { &c, ino, plus, xrealloc(NULL, size), size, 0 };
	call_begin(&c, req, OP_READDIR);
	c.handle = h;
	int r = call_enter(&c, ino, NULL);
	if (r == -ENOENT)	/* the directory was removed while open: list nothing */
		r = 0;
	pthread_mutex_lock(&h->reading);
	if (r == 0)
		r = listing_fill(&l, h->dir, off);
	pthread_mutex_unlock(&h->reading);
	call_leave(&c);
	c.e.is_dir = true;
	call_end(&c, r);
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_buf(req, l.to, l.n);
	free(l.to);
}

void fs_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	fs_list_directory(req, ino, size, off, fi, false);
}

void fs_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	fs_list_directory(req, ino, size, off, fi, true);
}
