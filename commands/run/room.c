/* SPDX-License-Identifier: BSD-3-Clause */
/* room.c - the folder of a run, and the files that its processes on one node share */
#include "run/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define BEGAN ".began"	/* name of the file that the first process of a run creates */

enum { SAMPLER, RANKS, COUNT };
static const char *const files[] = { "sampler", "ranks", "count" };

PRINTF(2, 3)
static int room_put_path(char *to, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(to, ROOM_PATH_MAX, fmt, ap);
	va_end(ap);
	return n >= ROOM_PATH_MAX ? -ENAMETOOLONG : 0;
}

static int room_make_folder(const char *path, mode_t mode)
{
	return mkdir(path, mode) < 0 && errno != EEXIST ? -errno : 0;
}

static int absolute(char *to, const char *dir)
{
	char here[ROOM_PATH_MAX];
	if (dir[0] == '/')
		return room_put_path(to, "%s", dir);
	if (!getcwd(here, sizeof(here)))
		return errno == ERANGE ? -ENAMETOOLONG : -errno;
	return room_put_path(to, "%s/%s", strcmp(here, "/") == 0 ? "" : here, dir);
}

/*
 * Check that a path is a folder of this user; other users could put files into their own folders.
 * Returns 0 or -errno.
 */
static int is_private(const char *path)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() ? 0 : -EACCES;
}

static int make_runs(const struct room *r)
{
	char all[ROOM_PATH_MAX];
	int e = room_put_path(all, "%s", r->runs);
	if (e < 0)
		return e;
	*strrchr(all, '/') = '\0';
	e = room_make_folder(all, 0700);
	if (e == 0)
		e = is_private(all);
	return e < 0 ? e : room_make_folder(r->runs, 0700);
}

int room_enter(const struct room *r)
{
	char ranks[ROOM_PATH_MAX];
	int e = make_runs(r);
	if (e == 0)
		e = room_make_folder(r->node_dir, 0700);
	if (e == 0)
		e = room_put_path(ranks, "%s/ranks", r->node_dir);
	if (e == 0 && mkfifo(ranks, 0600) < 0 && errno != EEXIST)
		e = -errno;
	return e;
}

/*
 * Store the start of the run as the modification time of a file, because the clocks of the nodes
 * may differ.
 */
static int note_begin(const struct room *r)
{
	char began[ROOM_PATH_MAX];
	int e = room_put_path(began, "%s/" BEGAN, r->runs);
	if (e < 0)
		return e;
	int fd CLEANUP(close_fd) = open(began, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 && errno != EEXIST ? -errno : 0;
}

/* Return 0, or -ENOSPC if the file system has no free block for this user. */
static int room_check_space(const char *dir)
{
	struct statvfs s;
	if (statvfs(dir, &s) < 0 || s.f_blocks == 0)
		return 0;	/* the free space is unknown, so try */
	return (geteuid() ? s.f_bavail : s.f_bfree) == 0 ? -ENOSPC : 0;
}

int room_make(struct room *r, const char *dir, const char *id, const char *host)
{
	int e = absolute(r->dir, dir);
	if (e == 0)
		e = room_put_path(r->runs, "%s/.run-%u/%s", r->dir, (unsigned)geteuid(), id);
	if (e == 0)
		e = room_put_path(r->node_dir, "%s/%s", r->runs, host);
	if (e == 0)
		e = room_make_folder(r->dir, 0777);
	if (e == 0)
		e = room_check_space(r->dir);
	if (e == 0)
		e = make_runs(r);
	return e < 0 ? e : note_begin(r);
}

/*
 * Remove a node's folder and the recorder's files in it. Remove the lock last: until then,
 * room_sampler() can tell whether the sampler works or was killed.
 */
static void remove_all(const char *path)
{
	char one[ROOM_PATH_MAX];
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d)); )
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    strcmp(e->d_name, files[SAMPLER]) != 0 &&
		    room_put_path(one, "%s/%s", path, e->d_name) == 0 && unlink(one) < 0 &&
		    (errno == EISDIR || errno == EPERM))
			remove_all(one);
	if (d)
		closedir(d);
	if (room_put_path(one, "%s/%s", path, files[SAMPLER]) == 0)
		unlink(one);
	rmdir(path);
}

void room_leave(const struct room *r)
{
	remove_all(r->node_dir);
}

void room_remove(const struct room *r)
{
	char all[ROOM_PATH_MAX];
	remove_all(r->runs);
	if (room_put_path(all, "%s", r->runs) < 0)
		return;
	*strrchr(all, '/') = '\0';
	rmdir(all);
}

static bool is_sampled(const struct room *r)
{
	bool any = false;
	DIR *d = opendir(r->runs);
	for (struct dirent *e; d && !any && (e = readdir(d)); )
		any = e->d_name[0] != '.';
	if (d)
		closedir(d);
	return any;
}

/*
 * Return the time of the last write to a file in microseconds, or INT64_MIN if the file does not
 * exist.
 */
static int64_t written_us(const char *dir, const char *of, const char *name)
{
	char path[ROOM_PATH_MAX];
	struct stat st;
	if (room_put_path(path, "%s/%s/%s", dir, of, name) < 0 || stat(path, &st) < 0)
		return INT64_MIN;
	return (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000;
}

/*
 * Find the nodes of this run. Ignore a folder that has not been written to since the run started:
 * an earlier run left it.
 */
struct room_nodes room_nodes(const struct room *r)
{
	struct room_nodes n = { .sampled = is_sampled(r) };
	int64_t began = written_us(r->runs, ".", BEGAN);
	DIR *d = opendir(r->dir);
	for (struct dirent *e; d && (e = readdir(d)); ) {
		int64_t us = written_us(r->dir, e->d_name, "current");
		if (e->d_name[0] == '.' || us == INT64_MIN || us < began)
			continue;
		n.changed_us = us > n.changed_us ? us : n.changed_us;
		n.recorded++;
	}
	if (d)
		closedir(d);
	return n;
}

static int room_open_file(const struct room *r, size_t which, int flags)
{
	char path[ROOM_PATH_MAX];
	int e = room_put_path(path, "%s/%s", r->node_dir, files[which]);
	if (e < 0)
		return e;
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

/* Return whether the sampler removed its folder after this process had opened the lock in it. */
static bool was_removed(int lock)
{
	struct stat st;
	return fstat(lock, &st) == 0 && st.st_nlink == 0;
}

int room_lock(const struct room *r, int *lock, int *fifo)
{
	int fd = room_open_file(r, SAMPLER, O_RDWR | O_CREAT);
	if (fd < 0)
		return fd;
	int e = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : was_removed(fd) ? -ENOENT : 0;
	int ranks = e < 0 ? e : room_open_file(r, RANKS, O_RDONLY | O_NONBLOCK);
	if (ranks < 0) {
		close(fd);
		return ranks == -EWOULDBLOCK ? -EBUSY : ranks;
	}
	*lock = fd;
	*fifo = ranks;
	return 0;
}

enum room_sampler room_sampler(const struct room *r)
{
	int fd CLEANUP(close_fd) = room_open_file(r, SAMPLER, O_RDONLY);
	if (fd < 0)
		return ROOM_SAMPLER_DONE;
	return flock(fd, LOCK_SH | LOCK_NB) < 0 ? ROOM_SAMPLER_WORKS : ROOM_SAMPLER_KILLED;
}

int room_join(const struct room *r)
{
	return room_open_file(r, RANKS, O_WRONLY | O_NONBLOCK);
}

void room_append_event(const struct room *r, char c)
{
	int fd CLEANUP(close_fd) = room_open_file(r, COUNT, O_WRONLY | O_APPEND | O_CREAT);
	if (fd >= 0)
		(void)!write(fd, &c, 1);
}

size_t room_joined(const struct room *r, bool *all_left)
{
	char text[4096];
	size_t joined = 0, left = 0;
	ssize_t n;
	int fd CLEANUP(close_fd) = room_open_file(r, COUNT, O_RDONLY);
	while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			joined += text[i] == '+';
			left += text[i] == '-';
		}
	*all_left = joined > 0 && joined == left;
	return joined;
}
