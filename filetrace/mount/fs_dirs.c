/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_dirs.c - requests that list directories */
#include "tracers/files/mount/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opening has no record of its own in the seed: readdir shows it. */
void fs_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct call c;
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
	struct handle *h = handle_new(&c, dirfd(dir), node_of(&c.fs->nodes, ino));
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

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

struct listing {
	struct call *c;
	fuse_ino_t ino;
	bool plus;
	char *to;
	size_t size, n;
};

/* With its attributes where it can be looked up: the kernel then holds it as after a lookup. */
static bool add_plus(struct listing *l, const struct dirent *d)
{
	struct call *c = l->c;
	struct fuse_entry_param entry = {
		.attr.st_ino = d->d_ino, .attr.st_mode = DTTOIF(d->d_type),
	};
	struct stat st;
	bool found = !is_dots(d->d_name) &&
		     fstatat(c->handle->fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (found) {
		struct nodes *n = &c->fs->nodes;
		struct node *node = node_found(n, node_of(n, l->ino), d->d_name, &st);
		entry.attr = st;
		entry.ino = node_number(n, node);
		entry.generation = node->generation;
		entry.attr_timeout = entry.entry_timeout = c->fs->timeout;
	}
	size_t size = fuse_add_direntry_plus(c->req, l->to + l->n, l->size - l->n, d->d_name,
					     &entry, d->d_off);
	if (size > l->size - l->n) {
		if (found)
			node_forget(&c->fs->nodes, node_of(&c->fs->nodes, entry.ino), 1);
		return false;
	}
	l->n += size;
	return true;
}

static bool add(struct listing *l, const struct dirent *d)
{
	struct stat st = { .st_ino = d->d_ino, .st_mode = DTTOIF(d->d_type) };
	size_t size = fuse_add_direntry(l->c->req, l->to + l->n, l->size - l->n, d->d_name, &st,
					d->d_off);
	if (size > l->size - l->n)
		return false;
	l->n += size;
	return true;
}

/* 0 or -errno; what was listed before an error is given first. */
static int list(struct listing *l, DIR *dir, off_t from)
{
	struct dirent *d;
	bool room = true;
	seekdir(dir, from);
	while (room) {
		errno = 0;
		d = readdir(dir);
		if (!d)
			return l->n ? 0 : -errno;
		room = l->plus ? add_plus(l, d) : add(l, d);
	}
	return 0;
}

/* The directory was opened by the caller; what is in it is looked up with his rights, too. */
static void read_names(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi, bool plus)
{
	struct call c;
	struct handle *h = handle_of(fi);
	struct listing l = { &c, ino, plus, xrealloc(NULL, size), size, 0 };
	call_begin(&c, req, OP_READDIR);
	c.handle = h;
	int r = call_enter(&c, ino, NULL);
	if (r == -ENOENT)	/* removed while open: an empty directory */
		r = 0;
	pthread_mutex_lock(&h->reading);
	if (r == 0)
		r = list(&l, h->dir, off);
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
	read_names(req, ino, size, off, fi, false);
}

void fs_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	read_names(req, ino, size, off, fi, true);
}
