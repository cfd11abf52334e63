/* SPDX-License-Identifier: BSD-3-Clause */
/* mounts.c - read the list of mounts */
#include "base/system/mounts.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

static int open_list(struct mounts *m, const struct files *root)
{
	int fd = files_open(root, "proc/mounts", O_RDONLY);
	if (fd < 0)
		return fd;

	m->fd = fd;
	m->open = true;
	return 0;
}

static bool is_unchanged(const struct mounts *m, const struct files *root)
{
	struct pollfd p = { .fd = m->fd, .events = POLLPRI };
	return poll(&p, 1, 0) == 0 && !root->in_root;
}

int mounts_changed(struct mounts *m, const struct files *root, struct str *list)
{
	if (m->open && is_unchanged(m, root))
		return 0;

	int r = m->open ? 0 : open_list(m, root);
	if (r == 0)
		r = files_read_fd(m->fd, FILE_TO_END, &m->text, list);
	if (r < 0) {
		mounts_free(m);		/* let the next call read the list again */
		return r;
	}
	return 1;
}

void mounts_free(struct mounts *m)
{
	if (m->open)
		close(m->fd);
	buf_free(&m->text);
	*m = (struct mounts){ 0 };
}

bool mount_take(struct str *list, struct mount *ret)
{
	struct str line;
	struct mount m;
	while (str_take_line(list, &line)) {
		if (str_take_word(&line, &m.device) && str_take_word(&line, &m.dir) &&
		    str_take_word(&line, &m.type)) {
			*ret = m;
			return true;
		}
	}
	return false;
}

/* Take a backslash and three octal digits as one byte. */
static bool take_octal(struct str *in, char *c)
{
	unsigned v = 0;
	if (in->n < 4 || in->p[0] != '\\' || in->p[1] > '3')
		return false;
	for (size_t i = 1; i < 4; i++) {
		if (in->p[i] < '0' || in->p[i] > '7')
			return false;
		v = v * 8 + (unsigned)(in->p[i] - '0');
	}
	*c = (char)v;
	*in = str_skip(*in, 4);
	return true;
}

bool mount_path(char *to, size_t size, struct str dir)
{
	size_t n = 0;
	while (dir.n) {
		char c = *dir.p;
		if (!take_octal(&dir, &c))
			dir = str_skip(dir, 1);
		if (c == '\0' || n + 1 >= size)
			return false;
		to[n++] = c;
	}
	to[n] = '\0';
	return true;
}

bool mount_is_below(struct str path, struct str dir)
{
	if (!str_starts(path, dir))
		return false;
	return path.n == dir.n || str_eq(dir, STR("/")) || path.p[dir.n] == '/';
}
