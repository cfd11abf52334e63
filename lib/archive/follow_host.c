/* SPDX-License-Identifier: BSD-3-Clause */
/* follow_host.c - read the record groups of DIR/HOST in order, while they are written */
#include "archive/follow_host.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/tail.h"
#include "base/files.h"

/*
 * Line inserted after each record, so that the reader gets the record at once: a reader ends a
 * record when the next one begins. The line looks like the start of a record, and the reader then
 * drops it as invalid.
 */
#define GROUP_END "\n0\n"

/* s; check the folder at least this often: inotify does not report the removal of an open folder */
#define MAX_WAIT_S 60
/* s; used instead of MAX_WAIT_S if there is no current file or .wake_fd is -1 */
#define SHORT_WAIT_S 2

int follow_open(struct follow *f, struct str path)
{
	char self[64];
	f->path.n = 0;
	buf_add(&f->path, path);
	buf_add_char(&f->path, '\0');
	f->fd = f->inotify = -1;
	f->input = NULL;
	f->resume = true;
	f->has_gap = false;
	f->dirfd = open(f->path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->dirfd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->dirfd);
	f->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (f->inotify < 0 ||
	    inotify_add_watch(f->inotify, self,
			      IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVE_SELF) < 0) {
		int e = -errno;
		follow_close(f);
		return e;
	}
	return 0;
}

static void follow_close_file(struct follow *f)
{
	input_free(f->input);
	close_fd(&f->fd);
	f->input = NULL;
}

void follow_close(struct follow *f)
{
	follow_close_file(f);
	close_fd(&f->inotify);
	close_fd(&f->dirfd);
	buf_free(&f->path);
}

static bool follow_is_gone(const struct follow *f)
{
	struct stat ours, now;
	return fstat(f->dirfd, &ours) < 0 || stat(f->path.p, &now) < 0 ||
	       !files_are_one(&ours, &now);
}

static void follow_drop_events(const struct follow *f)
{
	char events[4096];
	while (read(f->inotify, events, sizeof(events)) > 0)
		;
}

/* Wait until the folder may have changed. Returns 0, -ESTALE if it was removed, or -EINTR. */
static int follow_wait_for_change(struct follow *f)
{
	struct pollfd p[] = {
		{ .fd = f->inotify, .events = POLLIN },
		{ .fd = f->wake_fd > 0 ? f->wake_fd : -1, .events = POLLIN },
	};
	sigset_t none;
	if (*f->stop)
		return -EINTR;
	if (follow_is_gone(f))
		return -ESTALE;
	/* signals that set *stop are unblocked only here, so that all records are read before */
	sigemptyset(&none);
	bool has_file = faccessat(f->dirfd, "current", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	int most_s = has_file && f->wake_fd >= 0 ? MAX_WAIT_S : SHORT_WAIT_S;
	ppoll(p, ARRAY_SIZE(p), &(struct timespec){ .tv_sec = most_s }, &none);
	follow_drop_events(f);
	return *f->stop ? -EINTR : 0;
}

static ino_t follow_inode_of(int dirfd, const char *path)
{
	struct stat st;
	return fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : st.st_ino;
}

static const struct archive_file *follow_find_epoch(const struct archive_file *file, size_t n,
						    int64_t epoch)
{
	for (size_t i = 0; i < n; i++)
		if (file[i].epoch == epoch)
			return &file[i];
	return NULL;
}

static const struct archive_file *follow_find_inode(const struct archive_file *file, size_t n,
						    ino_t inode)
{
	for (size_t i = 0; i < n; i++)
		if (follow_inode_of(AT_FDCWD, file[i].path) == inode)
			return &file[i];
	return NULL;
}

static const struct archive_file *follow_newest_file(const struct archive_file *file, size_t n,
						     ino_t current)
{
	const struct archive_file *now = follow_find_inode(file, n, current);
	return now || !n ? now : &file[n - 1];
}

/*
 * Returns the inode of the file that may still grow: the current file or, if there is none, the
 * newest file, because a writer may have begun it without making it current yet, or it may be a
 * copy of a file that grows on another node. With .once, only the current file counts. Returns 0 if
 * there is no such file.
 */
static ino_t follow_growing_inode(const struct follow *f, const struct archive_file *file, size_t n)
{
	ino_t now = follow_inode_of(f->dirfd, "current");
	if (now || f->once || n == 0)
		return now;
	const char *last = file[n - 1].path;
	return isdigit((unsigned char)last[strlen(last) - 1]) ? follow_inode_of(AT_FDCWD, last) : 0;
}

static bool follow_is_replaced(const struct follow *f)
{
	struct archive_file *file = NULL;
	size_t n = 0;
	ino_t now = follow_inode_of(f->dirfd, "current");
	if (!now && archive_list(f->path.p, &file, &n, NULL) == 0)
		now = follow_growing_inode(f, file, n);
	archive_list_free(file, n);
	return now && now != f->inode;
}

static const struct archive_file *follow_first_after(const struct archive_file *file, size_t n,
						     int64_t epoch)
{
	for (size_t i = 0; i < n; i++)
		if (file[i].epoch > epoch)
			return &file[i];
	return NULL;
}

/*
 * Choose the file to read next: the one with the next epoch, or an earlier one that appeared after
 * the clock was set back.
 */
static const struct archive_file *follow_choose_file(struct follow *f,
						     const struct archive_file *file,
						     size_t n, ino_t current)
{
	if (f->newest && f->resume)
		return follow_newest_file(file, n, current);
	const struct archive_file *same = follow_find_epoch(file, n, f->epoch);
	if (same && f->resume)
		return same;
	const struct archive_file *next = f->after ? follow_first_after(file, n, f->after) : NULL;
	if (next && next->epoch < f->epoch)
		return next;
	next = follow_first_after(file, n, f->epoch);
	if (next)
		return next;
	const struct archive_file *now = follow_find_inode(file, n, current);
	return now && now->epoch != f->epoch ? now : NULL;
}

static int follow_open_live(struct follow *f, const char *path)
{
	struct stat st;
	int64_t last_us;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	int r = fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0)
		r = tail_find_whole(fd, st.st_size, &f->complete_end, &last_us);
	if (r < 0) {
		close_fd(&fd);
		return r;
	}
	f->fd = fd;
	f->inode = st.st_ino;
	return 0;
}

static int follow_open_file(struct follow *f, const struct archive_file *file, ino_t current)
{
	ino_t inode = follow_inode_of(AT_FDCWD, file->path);
	follow_close_file(f);
	f->live = inode && inode == current;
	f->complete_end = 0;
	f->inode = inode;
	int r = f->live ? follow_open_live(f, file->path) : input_open(file->path, &f->input);
	if (r < 0)
		return r;
	if (file->epoch > f->epoch)
		f->after = f->epoch;
	else if (file->epoch <= f->after)
		f->after = 0;
	f->epoch = file->epoch;
	f->resume = false;
	f->at = f->begin = 0;
	f->unchanged_end = UINT64_MAX;
	f->from = f->n = f->n_ends = f->n_head = 0;
	f->known = false;
	f->ended_group = true;
	f->last = '\0';
	return 0;
}

/*
 * Find and open the next file. Returns 0; -ENOENT if there is none, or if it was compressed or
 * removed before it could be opened; or another -errno.
 */
static int follow_find_file(struct follow *f)
{
	struct archive_file *file;
	ino_t current = follow_inode_of(f->dirfd, "current");
	size_t n;
	if (follow_is_gone(f))
		return -ESTALE;
	int r = archive_list(f->path.p, &file, &n, NULL);
	if (r < 0)
		return r;
	if (!current)
		current = follow_growing_inode(f, file, n);
	const struct archive_file *next = follow_choose_file(f, file, n, current);
	f->has_gap |= next && f->epoch && !follow_find_epoch(file, n, f->epoch);
	r = next ? follow_open_file(f, next, current) : -ENOENT;
	f->unopened = next && r < 0 ? next->epoch : 0;
	archive_list_free(file, n);
	return r;
}

int follow_next_file(struct follow *f)
{
	for (;;) {
		int r = follow_find_file(f);
		if (r == 0 || f->once || (r != -ENOENT && r != -EFBIG))
			return r;
		if (f->no_wait)
			return -EAGAIN;
		r = f->idle ? f->idle(f->arg) : 0;
		if (r == 0)
			r = follow_wait_for_change(f);
		if (r < 0)
			return r;
	}
}

static uint64_t follow_digest(const char *head, size_t n)
{
	return str_hash((struct str){ head, n }) >> 1 | 1;
}

static void follow_keep_end(struct follow *f)
{
	if (f->n_ends == FOLLOW_ENDS)
		memmove(f->ends, f->ends + 1, --f->n_ends * sizeof(f->ends[0]));
	f->digest = follow_digest(f->head, f->n_head);
	f->ends[f->n_ends++] = (struct follow_end){ f->begin, f->at, f->digest };
	f->begin = f->at;
	f->n_head = 0;
}

/*
 * Returns true if the remembered record e is still in the file. Also returns true if the file
 * cannot be read, because otherwise everything would be read again.
 */
static bool follow_is_unchanged(const struct follow *f, const struct follow_end *e, off_t size)
{
	char head[FOLLOW_HEAD];
	uint64_t bytes = e->end - e->begin;
	size_t n = bytes < sizeof(head) ? (size_t)bytes : sizeof(head);
	if (e->end > (uint64_t)size)
		return false;
	ssize_t got = pread(f->fd, head, n, (off_t)e->begin);
	return got < 0 || (got == (ssize_t)n && follow_digest(head, n) == e->digest);
}

/*
 * Go back to the newest record that is still in the file, because a writer has removed or replaced
 * the last ones. Returns false if the file has none of the remembered records and must be read
 * again from its start.
 */
static bool follow_go_back(struct follow *f)
{
	struct stat st;
	if (fstat(f->fd, &st) < 0 || f->n_ends == 0)
		return true;
	while (f->n_ends && !follow_is_unchanged(f, &f->ends[f->n_ends - 1], st.st_size))
		f->n_ends--;
	if (f->n_ends == 0) {
		follow_again(f);
		return false;
	}
	const struct follow_end *last = &f->ends[f->n_ends - 1];
	if (last->end == f->at)
		return true;
	f->at = f->begin = f->unchanged_end = last->end;
	f->complete_end = (off_t)f->at;
	f->digest = last->digest;
	return true;
}

/* Returns true if the file has further complete records. */
static bool follow_has_grown(struct follow *f)
{
	struct stat st;
	off_t whole;
	int64_t last_us;
	if (fstat(f->fd, &st) < 0 || st.st_size <= f->complete_end ||
	    tail_find_whole(f->fd, st.st_size, &whole, &last_us) < 0 || whole <= f->complete_end)
		return false;
	f->complete_end = whole;
	return true;
}

static ssize_t follow_end_group(struct follow *f, char *to)
{
	f->ended_group = true;
	f->known = false;
	follow_keep_end(f);
	if (!f->grouped)
		return 0;
	f->grouped = false;
	memcpy(to, GROUP_END, sizeof(GROUP_END) - 1);
	return sizeof(GROUP_END) - 1;
}

static void follow_keep_head(struct follow *f, const char *p, size_t n)
{
	size_t room = sizeof(f->head) - f->n_head;
	if (n > room)
		n = room;
	memcpy(f->head + f->n_head, p, n);
	f->n_head += n;
}

/*
 * Note that the last record of the file has ended. The line GROUP_END is not needed here, because
 * the reader also ends a record at the end of the file. Returns 0, which means the end of the
 * input.
 */
static ssize_t follow_end_input(struct follow *f)
{
	if (!f->ended_group)
		follow_keep_end(f);
	f->ended_group = true;
	return 0;
}

/*
 * Find out whether the block of text being read is a record or a header: GROUP_END is inserted only
 * after records.
 */
static void follow_detect_group(struct follow *f, const char *p, size_t n)
{
	for (size_t i = 0; i < n && !f->known; i++) {
		f->known = p[i] != '\n';
		f->grouped = p[i] >= '0' && p[i] <= '9';
	}
}

/*
 * Deliver bytes up to the next blank line. Returns the number of bytes, which may be 0 after a
 * header.
 */
static ssize_t follow_deliver(struct follow *f, char *to, size_t n)
{
	const char *p = f->chunk + f->from;
	size_t left = f->n - f->from;
	if (*p == '\n' && f->last == '\n' && !f->ended_group)
		return follow_end_group(f, to);
	const char *blank = memmem(p, left, "\n\n", 2);
	size_t take = blank ? (size_t)(blank + 1 - p) : left;
	if (take > n)
		take = n;
	follow_detect_group(f, p, take);
	follow_keep_head(f, p, take);
	memcpy(to, p, take);
	f->last = p[take - 1];
	f->from += take;
	f->at += take;
	f->ended_group = false;
	return (ssize_t)take;
}

/* Read the next bytes of the file, up to the end of the last complete record. */
static ssize_t follow_refill(struct follow *f)
{
	off_t left = f->complete_end - (off_t)f->at;
	size_t n = left < (off_t)sizeof(f->chunk) ? (size_t)left : sizeof(f->chunk);
	ssize_t got = 0;
	if (f->input) {
		struct byte_source s = input_bytes(f->input);
		got = s.read(s.arg, f->chunk, sizeof(f->chunk));
	} else if (left > 0) {
		got = pread(f->fd, f->chunk, n, (off_t)f->at);
		got = got < 0 ? -errno : got;
	}
	f->from = 0;
	f->n = got > 0 ? (size_t)got : 0;
	return got;
}

/*
 * Wait until the current file grows. Returns 1 if it has grown; 0 if it will not grow any more, or
 * if records were replaced; or -errno.
 */
static int follow_wait_for_more(struct follow *f)
{
	for (;;) {
		/*
		 * check this before the size: a writer may still add records to the file, and then
		 * replace it
		 */
		bool replaced = follow_is_replaced(f);
		if (!follow_go_back(f))
			return 0;
		if (follow_has_grown(f))
			return 1;
		if (replaced || f->once)
			return 0;
		if (f->no_wait)
			return follow_is_gone(f) ? 0 : -EAGAIN;
		int r = f->idle ? f->idle(f->arg) : 0;
		if (r == 0)
			r = follow_wait_for_change(f);
		if (r < 0)
			return r == -EINTR || r == -ESTALE ? 0 : r;
	}
}

static ssize_t follow_read(void *arg, char *to, size_t n)
{
	struct follow *f = arg;
	for (;;) {
		ssize_t got = f->from < f->n ? 0 : follow_refill(f);
		if (got < 0)
			return got;
		if (f->from < f->n)
			got = follow_deliver(f, to, n);
		else if (f->input)
			return follow_end_input(f);
		else if (!f->ended_group)
			got = follow_end_group(f, to);
		else if ((got = follow_wait_for_more(f)) <= 0)
			return got;
		else
			continue;
		if (got)
			return got;
	}
}

int follow_wakes(struct follow *f)
{
	follow_drop_events(f);
	return f->inotify;
}

bool follow_is_newest(const struct follow *f)
{
	return f->live && f->from == f->n && (off_t)f->at >= f->complete_end;
}

struct byte_source follow_bytes(struct follow *f)
{
	return (struct byte_source){ follow_read, f };
}
