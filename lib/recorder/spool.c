/* SPDX-License-Identifier: BSD-3-Clause */
/* spool.c - RUNTIME-DIR/marks: what was promised to be marked and is not in the archive yet */
#include "recorder/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/names.h"

#define READ_MAX    4096	/* files at a time */
#define GROUPS_NAME (&SPOOL_GROUPS[sizeof("marks")])
#define UNFINISHED  "~"		/* ends the name of a file until it is whole */
#define ABANDONED_S 60		/* so old, nobody is at it any more */

/* Whoever else could write there could begin jobs. */
static int check_folder(int top, int fd)
{
	struct stat above, st;
	if (fstat(top, &above) < 0 || fstat(fd, &st) < 0)
		return -errno;
	bool known = st.st_uid == 0 || st.st_uid == geteuid() || st.st_uid == above.st_uid;
	return known && !(st.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -EPERM;
}

static int open_folder(const char *runtime_dir)
{
	if (mkdir(runtime_dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	int top CLEANUP(close_fd) = open(runtime_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	bool made = mkdirat(top, "marks", 0755) == 0;
	if (!made && errno != EEXIST)
		return -errno;
	int fd = openat(top, "marks", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	int r = made ? files_own(top, fd) : 0;
	if (r == 0 && made && fchmod(fd, 0755) < 0)
		r = -errno;
	if (r == 0)
		r = check_folder(top, fd);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

int spool_open(struct spool *s, const char *runtime_dir)
{
	if (s->dirfd >= 0)
		return 0;
	*s = (struct spool){ .dirfd = open_folder(runtime_dir), .lockfd = -1 };
	if (s->dirfd < 0) {
		int r = s->dirfd;
		s->dirfd = -1;
		return r;
	}
	s->lockfd = openat(s->dirfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r = s->lockfd < 0 ? -errno : files_own(s->dirfd, s->lockfd);
	if (r < 0)
		spool_close(s);
	return r;
}

void spool_close(struct spool *s)
{
	close_fd(&s->lockfd);
	close_fd(&s->dirfd);
	*s = (struct spool){ .dirfd = -1, .lockfd = -1 };
}

static bool is_gone(const struct spool *s)
{
	struct stat st;
	return fstat(s->dirfd, &st) < 0 || st.st_nlink == 0;
}

int spool_lock(struct spool *s, int timeout_ms)
{
	int r = files_lock(s->lockfd, timeout_ms);
	s->locked = r == 0;
	return r;
}

int spool_enter(struct spool *s, const char *runtime_dir, int timeout_ms)
{
	if (s->dirfd >= 0 && is_gone(s))
		spool_close(s);
	int r = spool_open(s, runtime_dir);
	return r < 0 ? r : spool_lock(s, timeout_ms);
}

void spool_unlock(struct spool *s)
{
	files_unlock(s->lockfd);
	s->locked = false;
}

static int write_new(const struct spool *s, const char *name, struct str text)
{
	int fd CLEANUP(close_fd) = openat(s->dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
					  O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	int r = files_own(s->dirfd, fd);
	return r < 0 ? r : files_write(fd, text);
}

void spool_name(struct spool *s, int64_t usec, char *name)
{
	snprintf(name, SPOOL_NAME_SIZE, "%019lld.%d.%u" SPOOL_MARK, (long long)usec,
		 (int)getpid(), ++s->n);
}

int spool_leave_named(struct spool *s, const char *name, struct str text)
{
	char next[SPOOL_NAME_SIZE + 1] = "";
	size_t n = strnlen(name, SPOOL_NAME_SIZE - 1);
	memcpy(next, name, n);
	memcpy(next + n, UNFINISHED, sizeof(UNFINISHED));
	unlinkat(s->dirfd, next, 0);
	int r = write_new(s, next, text);
	if (r == 0 && renameat(s->dirfd, next, s->dirfd, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(s->dirfd, next, 0);
	return r;
}

int spool_leave(struct spool *s, int64_t usec, struct str text, char *name)
{
	spool_name(s, usec, name);
	return spool_leave_named(s, name, text);
}

bool spool_has(const struct spool *s, const char *name)
{
	return faccessat(s->dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void spool_remove(const struct spool *s, const char *name)
{
	unlinkat(s->dirfd, name, 0);
}

/* "USEC.PID.N.mark" */
static bool take_name(const char *name, struct spooled *to)
{
	struct str text = str_of(name);
	uint64_t usec, pid, n;
	if (!str_take_u64(&text, &usec) || !str_take_prefix(&text, STR(".")) ||
	    !str_take_u64(&text, &pid) || !str_take_prefix(&text, STR(".")) ||
	    !str_take_u64(&text, &n) || !str_eq(text, STR(SPOOL_MARK)))
		return false;
	if (usec > INT64_MAX || pid > INT32_MAX)
		return false;
	*to = (struct spooled){ .usec = (int64_t)usec };
	return str_copy(to->name, sizeof(to->name), str_of(name));
}

/* Of an open file: 1, 0, or -errno: that is not known now. */
static int is_trusted(int dirfd, int fd, struct stat *st)
{
	struct stat folder;
	if (fstat(fd, st) < 0 || fstat(dirfd, &folder) < 0)
		return -errno;
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
	       (st->st_uid == 0 || st->st_uid == folder.st_uid);
}

static bool is_no_file(const struct spool *s, const char *name)
{
	struct stat st;
	int r = fstatat(s->dirfd, name, &st, AT_SYMLINK_NOFOLLOW);
	return r < 0 ? errno == ENOENT : !S_ISREG(st.st_mode);
}

/* 1; 0: not what is left here; -errno: not to be read now. */
static int read_one(const struct spool *s, struct spooled *to)
{
	struct stat st;
	int fd CLEANUP(close_fd) = openat(s->dirfd, to->name,
					  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		int e = -errno;
		return is_no_file(s, to->name) ? 0 : e;
	}
	int trusted = is_trusted(s->dirfd, fd, &st);
	if (trusted <= 0 || st.st_size > SPOOL_MARK_MAX)
		return trusted < 0 ? trusted : 0;
	buf_reserve(&to->text, (size_t)st.st_size + 1);
	ssize_t n = pread(fd, to->text.p, (size_t)st.st_size, 0);
	if (n < 0)
		return -errno;
	to->text.n = (size_t)n;
	return n == st.st_size ? 1 : -EIO;
}

int spool_open_groups(const struct spool *s, bool make)
{
	struct stat st;
	int fd = openat(s->dirfd, GROUPS_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
			(make ? O_CREAT : 0), 0600);
	if (fd < 0)
		return -errno;
	int r = is_trusted(s->dirfd, fd, &st);
	if (r >= 0)
		r = r ? 0 : -EPERM;
	if (r == 0 && make)
		r = files_own(s->dirfd, fd);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* A writer was killed before it could give the file its name. */
static void remove_abandoned(const struct spool *s, const char *name)
{
	struct stat st;
	if (str_ends(str_of(name), STR(UNFINISHED)) &&
	    fstatat(s->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    realtime_us() / 1000000 - st.st_mtime > ABANDONED_S)
		spool_remove(s, name);
}

int spool_read(struct spool *s, struct spooled **all, size_t *n)
{
	struct names names CLEANUP(names_free) = { 0 };
	int r = names_read(&names, s->dirfd, "", NAMES_OF_ALL);
	*all = r == 0 && names.n ? xrealloc(NULL, names.n * sizeof(**all)) : NULL;
	*n = 0;
	for (size_t i = 0; i < names.n && *n < READ_MAX && r >= 0; i++) {
		struct spooled *to = *all + *n;
		if (!str_ends(str_of(names.name[i]), STR(SPOOL_MARK))) {
			remove_abandoned(s, names.name[i]);
			continue;
		}
		*to = (struct spooled){ .usec = 0 };
		r = take_name(names.name[i], to) ? read_one(s, to) : 0;
		*n += r > 0;
		if (r > 0)
			continue;
		buf_free(&to->text);
		if (r == 0) {
			say_warning(s->listener, "marks/%s is not what a hook or the agent leaves; "
				    "it is removed", names.name[i]);
			spool_remove(s, names.name[i]);
		}
	}
	return r < 0 ? r : 0;
}

void spooled_free(struct spooled *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_free(&all[i].text);
	free(all);
}

size_t spool_count(const char *runtime_dir)
{
	struct names names CLEANUP(names_free) = { 0 };
	char path[1024];
	size_t n = 0;
	snprintf(path, sizeof(path), "%s/marks", runtime_dir);
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || names_read(&names, fd, "", NAMES_OF_ALL) < 0)
		return 0;
	for (size_t i = 0; i < names.n; i++)
		n += str_ends(str_of(names.name[i]), STR(SPOOL_MARK));
	return n;
}
