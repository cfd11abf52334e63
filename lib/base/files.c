/* SPDX-License-Identifier: BSD-3-Clause */
/* files.c - read files below a root directory, each opened once and kept open */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/linux.h"
#include "base/utf8.h"
#include "base/vec.h"

/* RESOLVE_IN_ROOT of <linux/openat2.h>, Linux 5.6 */
#define IN_ROOT 0x10

struct file {
	char *path;
	int fd;		/* descriptor, or -errno of the failed open */
	uint32_t next;	/* index of the file that was last read after this one */
	size_t size;	/* bytes of the last read */
	/*
	 * the file is below /proc/sys: read small pieces, because the kernel clears a buffer of the
	 * size that is read
	 */
	bool sysctl;
	bool used;	/* the file was read since the last files_sweep() */
};

void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int files_finish(int *fd)
{
	int r = close(*fd) < 0 ? -errno : 0;
	*fd = -1;
	return r;
}

size_t files_open_max(void)
{
	struct rlimit limit = { 0 };
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

int files_open_root(struct files *f, const char *root)
{
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	*f = (struct files){ .rootfd = fd, .in_root = strcmp(root, "/") != 0 };
	return 0;
}

void files_free(struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		close_fd(&f->file[i].fd);
		free(f->file[i].path);
	}
	free(f->file);
	close_fd(&f->rootfd);
	*f = (struct files){ .rootfd = -1 };
}

int files_open(const struct files *f, const char *path, int flags)
{
	flags |= O_CLOEXEC | (f->wait ? 0 : O_NONBLOCK);
	if (f->in_root) {
		struct { uint64_t flags, mode, resolve; } how = { (uint64_t)flags, 0, IN_ROOT };
		long fd = syscall(SYS_openat2, f->rootfd, path, &how, sizeof(how));
		if (fd >= 0 || errno != ENOSYS)
			return fd >= 0 ? (int)fd : -errno;
	}
	int fd = openat(f->rootfd, path, flags);
	return fd >= 0 ? fd : -errno;
}

struct str files_line(const struct files *f, const char *path, char *buf, size_t size)
{
	int fd CLEANUP(close_fd) = files_open(f, path, O_RDONLY);
	ssize_t n = fd >= 0 ? read(fd, buf, size) : 0;
	struct str text = { buf, n > 0 ? (size_t)n : 0 }, line = { buf, 0 };
	str_take_line(&text, &line);
	return str_trim(line);
}

static struct file *files_read_rest(struct files *f, size_t at)
{
	f->file[f->last].next = (uint32_t)at;
	f->last = (uint32_t)at;
	return &f->file[at];
}

static bool is_at(const struct files *f, size_t at, const char *path)
{
	return at < f->n && strcmp(f->file[at].path, path) == 0;
}

COLD static struct file *find(struct files *f, const char *path)
{
	size_t first = f->n ? f->file[f->last].next : 0;
	for (size_t i = 0; i < f->n; i++) {
		size_t at = first + i < f->n ? first + i : (first + i) % f->n;
		if (strcmp(f->file[at].path, path) == 0)
			return files_read_rest(f, at);
	}
	return NULL;
}

static struct file *find_or_add(struct files *f, const char *path)
{
	/*
	 * first try the file that was read after this one the last time: samples read files in the
	 * same order
	 */
	size_t next = f->n ? f->file[f->last].next : 0;
	if (is_at(f, next, path)) {
		f->last = (uint32_t)next;
		return &f->file[next];
	}
	struct file *file = find(f, path);
	if (file)
		return file;

	f->file = vec_reserve(f->file, &f->cap, f->n + 1, sizeof(*f->file));
	f->file[f->n] = (struct file){
		.path = xstrdup(str_of(path)), .fd = files_open(f, path, O_RDONLY),
		.sysctl = str_starts(str_of(path), STR("proc/sys/")),
	};
	return files_read_rest(f, f->n++);
}

void files_forget(struct files *f, const char *path)
{
	struct file *file = find(f, path);
	if (!file)
		return;

	close_fd(&file->fd);
	free(file->path);
	*file = f->file[--f->n];
	f->last = 0;
}

void files_sweep(struct files *f)
{
	uint32_t kept = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (!f->file[i].used) {
			close_fd(&f->file[i].fd);
			free(f->file[i].path);
			continue;
		}
		f->file[i].used = false;
		f->file[i].next = kept + 1;
		f->file[kept++] = f->file[i];
	}
	f->n = kept;
	f->last = 0;
}

/*
 * Return true if a read has certainly reached the end of the file. A file of /proc that has records
 * returns complete records, up to a page per read (fs/seq_file.c): if the page had room for another
 * record, no record is left. If a read returned more than a page, it returned the whole text
 * (single_open()).
 */
static bool proves_end(size_t got, size_t requested, enum file_read record)
{
	static size_t page;
	if (!page)
		page = (size_t)sysconf(_SC_PAGESIZE);
	return got < requested && (got + record < page || (got > page && record < FILE_TO_END));
}

static int files_read_whole(struct file *file, enum file_read how, struct buf *b)
{
	b->n = 0;
	for (;;) {
		if (b->n >= FILE_BYTES_MAX)
			return -EFBIG;
		buf_reserve(b, file->size + 4096);
		size_t room = file->sysctl ? 512 : b->cap - b->n;
		ssize_t got = pread(file->fd, b->p + b->n, room, (off_t)b->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		b->n += (size_t)got;
		if (got == 0 || proves_end((size_t)got, room, how))
			break;
	}
	file->size = b->n;
	return 0;
}

int files_read(struct files *f, const char *path, enum file_read how, struct buf *b,
	       struct str *ret)
{
	struct file *file = find_or_add(f, path);
	file->used = true;
	if (file->fd < 0 && f->again)
		file->fd = files_open(f, path, O_RDONLY);
	if (file->fd < 0)
		return file->fd;

	int r = files_read_whole(file, how, b);
	if (r < 0) {
		files_forget(f, path);
		return r;
	}
	*ret = buf_str(b);
	return 0;
}

int files_read_fd(int fd, enum file_read how, struct buf *b, struct str *ret)
{
	struct file file = { .fd = fd };
	int r = files_read_whole(&file, how, b);
	if (r == 0)
		*ret = buf_str(b);
	return r;
}

int files_write(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text = str_skip(text, (size_t)n);
	}
	return 0;
}

int files_rewrite(int fd, struct str text)
{
	int e = files_write(fd, text);
	return e == 0 && ftruncate(fd, (off_t)text.n) < 0 && errno != EINVAL ? -errno : e;
}

int files_print(int fd, struct buf *text)
{
	if (isatty(fd))
		utf8_make_lines_printable(text->p, text->n);
	return files_write(fd, buf_str(text));
}

int files_lock(int fd, int timeout_ms)
{
	int64_t deadline = monotonic_ns() + (int64_t)timeout_ms * 1000000;
	int64_t pause_ns = 500000;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (monotonic_ns() >= deadline)
			return -ETIMEDOUT;
		clock_pause(&pause_ns);
	}
	return 0;
}

void files_unlock(int fd)
{
	flock(fd, LOCK_UN);
}

int files_give_to_owner(int dirfd, int fd)
{
	struct stat st;
	if (geteuid() != 0)
		return 0;
	return fstat(dirfd, &st) < 0 || fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
}

bool files_has_content(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

static int write_whole(const char *path, struct str text)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	struct stat st;
	int fd CLEANUP(close_fd) = open(path, flags, 0644);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))	/* another user may have created a FIFO at this path */
		return -ENXIO;
	int r = files_write(fd, text);
	if (r == 0 && fchmod(fd, 0644) < 0)
		r = -errno;
	return r < 0 ? r : files_finish(&fd);
}

/* Return whether path is a device such as /dev/null, which must not be replaced by a file. */
static bool is_device(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
}

/* Return whether to write to path instead of replacing it: a device, a FIFO, /dev/stdout. */
static bool is_stream(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int files_replace(const char *path, struct str text)
{
	char next[1024];
	if (is_device(path))
		return -EEXIST;
	if ((size_t)snprintf(next, sizeof(next), "%s.%d.new", path, (int)getpid()) >= sizeof(next))
		return -ENAMETOOLONG;
	int r = write_whole(next, text);
	if (r == 0 && rename(next, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(next);
	return r;
}

static int write_str(void *text, int fd)
{
	return files_write(fd, *(const struct str *)text);
}

int files_publish(const char *path, struct str text)
{
	return files_publish_by(path, write_str, &text);
}

int files_publish_by(const char *path, int (*write)(void *arg, int fd), void *arg)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	mode_t mask = umask(0);

	umask(mask);
	if (is_stream(path)) {
		int to CLEANUP(close_fd) = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		return to < 0 ? -errno : write(arg, to);
	}
	buf_addf(&name, "%s.XXXXXX%c", path, '\0');
	int fd CLEANUP(close_fd) = mkostemp(name.p, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = write(arg, fd);
	if (r == 0 && fchmod(fd, 0666 & ~mask) < 0)
		r = -errno;
	if (r == 0)
		r = files_finish(&fd);
	if (r == 0 && rename(name.p, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(name.p);
	return r;
}

/*
 * Use the umask to set the file's mode: so nobody can connect before the mode is set, and a
 * confined process, which may not change modes, can call this.
 */
int files_bind(int fd, const struct sockaddr_un *at, mode_t mode)
{
	mode_t mask = umask(0777 & ~mode);
	int r = bind(fd, (const struct sockaddr *)at, sizeof(*at)) < 0 ? -errno : 0;
	umask(mask);
	return r;
}
