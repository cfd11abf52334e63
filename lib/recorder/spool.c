/* SPDX-License-Identifier: BSD-3-Clause */
/* spool.c - keep marks in RUNTIME-DIR/marks that are not in the archive yet */
#include "recorder/spool.h"

#include <dirent.h>
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

#define GROUPS_NAME (&SPOOL_GROUPS[sizeof("marks")])
#define UNFINISHED  "~"		/* suffix of a file's name while the file is written */
/* seconds after which a file with the suffix UNFINISHED counts as abandoned */
#define ABANDONED_S 60

/* Check that only root and the owner can write to the folder, since its files begin jobs. */
static int spool_check_folder(int top, int fd)
{
	struct stat above, st;
	if (fstat(top, &above) < 0 || fstat(fd, &st) < 0)
		return -errno;
	bool known = st.st_uid == 0 || st.st_uid == geteuid() || st.st_uid == above.st_uid;
	return known && !(st.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -EPERM;
}

static int spool_open_folder(const char *runtime_dir)
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
	int r = made ? files_give_to_owner(top, fd) : 0;
	if (r == 0 && made && fchmod(fd, 0755) < 0)
		r = -errno;
	if (r == 0)
		r = spool_check_folder(top, fd);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

int spool_open(struct spool *s, const char *runtime_dir)
{
	if (s->dirfd >= 0)
		return 0;
	int fd = spool_open_folder(runtime_dir);
	if (fd < 0)
		return fd;
	s->dirfd = fd;
	s->lockfd = openat(s->dirfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r = s->lockfd < 0 ? -errno : files_give_to_owner(s->dirfd, s->lockfd);
	if (r < 0)
		spool_close(s);
	return r;
}

void spool_close(struct spool *s)
{
	close_fd(&s->lockfd);
	close_fd(&s->dirfd);
	s->locked = false;
}

static bool spool_is_gone(const struct spool *s)
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
	if (s->dirfd >= 0 && spool_is_gone(s))
		spool_close(s);
	int r = spool_open(s, runtime_dir);
	return r < 0 ? r : spool_lock(s, timeout_ms);
}

void spool_unlock(struct spool *s)
{
	files_unlock(s->lockfd);
	s->locked = false;
}

static int spool_write_new(const struct spool *s, const char *name, struct str text)
{
	int fd CLEANUP(close_fd) = openat(s->dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
					  O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	int r = files_give_to_owner(s->dirfd, fd);
	if (r == 0)
		r = files_write(fd, text);
	return r < 0 ? r : files_finish(&fd);
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
	int r = spool_write_new(s, next, text);
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

/* Parse a name "USEC.PID.N.mark". */
static bool spool_parse_name(const char *name, struct spooled *to)
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

/*
 * Return 1 if an open file belongs to root or the folder's owner, 0 if not, or -errno if its state
 * cannot be read now.
 */
static int spool_is_trusted(int dirfd, int fd, struct stat *st)
{
	struct stat folder;
	if (fstat(fd, st) < 0 || fstat(dirfd, &folder) < 0)
		return -errno;
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
	       (st->st_uid == 0 || st->st_uid == folder.st_uid);
}

static bool spool_is_no_file(const struct spool *s, const char *name)
{
	struct stat st;
	int r = fstatat(s->dirfd, name, &st, AT_SYMLINK_NOFOLLOW);
	return r < 0 ? errno == ENOENT : !S_ISREG(st.st_mode);
}

/*
 * Read a request. Returns 1; 0 if the file is not a valid request; or -errno if the file cannot be
 * read now.
 */
static int spool_read_one(const struct spool *s, struct spooled *to)
{
	struct stat st;
	int fd CLEANUP(close_fd) = openat(s->dirfd, to->name,
					  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		int e = -errno;
		return spool_is_no_file(s, to->name) ? 0 : e;
	}
	int trusted = spool_is_trusted(s->dirfd, fd, &st);
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
	int r = spool_is_trusted(s->dirfd, fd, &st);
	if (r >= 0)
		r = r ? 0 : -EPERM;
	if (r == 0 && make)
		r = files_give_to_owner(s->dirfd, fd);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* Remove the incomplete file of a process that was killed. */
static void spool_remove_abandoned(const struct spool *s, const char *name)
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
	for (size_t i = 0; i < names.n && *n < SPOOL_READ_MAX && r >= 0; i++) {
		struct spooled *to = *all + *n;
		if (!str_ends(str_of(names.name[i]), STR(SPOOL_MARK))) {
			spool_remove_abandoned(s, names.name[i]);
			continue;
		}
		*to = (struct spooled){ .usec = 0 };
		r = spool_parse_name(names.name[i], to) ? spool_read_one(s, to) : 0;
		*n += r > 0;
		if (r > 0)
			continue;
		buf_free(&to->text);
		if (r == 0) {
			say_warning(s->listener, "marks/%s was not written by a hook or the agent; "
				    "removing it", names.name[i]);
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
	char path[1024];
	size_t n = 0;
	snprintf(path, sizeof(path), "%s/marks", runtime_dir);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (const struct dirent *e; d && (e = readdir(d)); )
		n += str_ends(str_of(e->d_name), STR(SPOOL_MARK));
	if (d)
		closedir(d);
	else
		close_fd(&fd);
	return n;
}
