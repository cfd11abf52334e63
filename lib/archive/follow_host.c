/* SPDX-License-Identifier: BSD-3-Clause */
/* follow_host.c - the record groups of DIR/HOST one by one, as they are written: file after file */
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
 * A group ends where the next one begins, and the reader is not to wait for that: so after each
 * comes the begin of another, which is none and which it leaves out.
 */
#define GROUP_END "\n0\n"

/*
 * At least so often, whatever inotify says: of a folder that is removed it says nothing to those
 * who have it open.
 */
#define LOOK_S 60
#define SOON_S 2	/* where there is no current, or what .also is to be */

int follow_open(struct follow *f, struct str path)
{
	char self[64];
	f->path.n = 0;
	buf_add(&f->path, path);
	buf_add_char(&f->path, '\0');
	f->fd = f->inotify = -1;
	f->input = NULL;
	f->resume = true;
	f->gone = false;
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

static void close_file(struct follow *f)
{
	input_free(f->input);
	close_fd(&f->fd);
	f->input = NULL;
	f->fd = -1;
}

void follow_close(struct follow *f)
{
	close_file(f);
	close_fd(&f->inotify);
	close_fd(&f->dirfd);
	buf_free(&f->path);
	f->inotify = f->dirfd = -1;
}

static bool is_gone(const struct follow *f)
{
	struct stat ours, now;
	return fstat(f->dirfd, &ours) < 0 || stat(f->path.p, &now) < 0 ||
	       !files_are_one(&ours, &now);
}

static void read_events(const struct follow *f)
{
	char events[4096];
	while (read(f->inotify, events, sizeof(events)) > 0)
		;
}

/* 0: something may have changed; -ESTALE, -EINTR. */
static int wait_for_change(struct follow *f)
{
	struct pollfd p[] = {
		{ .fd = f->inotify, .events = POLLIN },
		{ .fd = f->also > 0 ? f->also : -1, .events = POLLIN },
	};
	sigset_t none;
	if (*f->stop)
		return -EINTR;
	if (is_gone(f))
		return -ESTALE;
	sigemptyset(&none);	/* signals that set *stop come in only here, and when all is read */
	bool has_file = faccessat(f->dirfd, "current", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	int most_s = has_file && f->also >= 0 ? LOOK_S : SOON_S;
	ppoll(p, ARRAY_SIZE(p), &(struct timespec){ .tv_sec = most_s }, &none);
	read_events(f);
	return *f->stop ? -EINTR : 0;
}

static ino_t inode_of(int dirfd, const char *path)
{
	struct stat st;
	return fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : st.st_ino;
}

static const struct archive_file *find_epoch(const struct archive_file *file, size_t n,
					     int64_t epoch)
{
	for (size_t i = 0; i < n; i++)
		if (file[i].epoch == epoch)
			return &file[i];
	return NULL;
}

static const struct archive_file *find_inode(const struct archive_file *file, size_t n, ino_t inode)
{
	for (size_t i = 0; i < n; i++)
		if (inode_of(AT_FDCWD, file[i].path) == inode)
			return &file[i];
	return NULL;
}

static const struct archive_file *newest(const struct archive_file *file, size_t n, ino_t current)
{
	const struct archive_file *now = find_inode(file, n, current);
	return now || !n ? now : &file[n - 1];
}

/*
 * The file that grows: current; where there is none, the newest, which a writer has begun and not
 * made current yet, or which is a copy of one that grows elsewhere.
 */
static ino_t growing(const struct follow *f, const struct archive_file *file, size_t n)
{
	ino_t now = inode_of(f->dirfd, "current");
	if (now || f->once || n == 0)
		return now;
	const char *last = file[n - 1].path;
	return isdigit((unsigned char)last[strlen(last) - 1]) ? inode_of(AT_FDCWD, last) : 0;
}

static bool is_replaced(const struct follow *f)
{
	struct archive_file *file = NULL;
	size_t n = 0;
	ino_t now = inode_of(f->dirfd, "current");
	if (!now && archive_list(f->path.p, &file, &n, NULL) == 0)
		now = growing(f, file, n);
	archive_list_free(file, n);
	return now && now != f->inode;
}

static const struct archive_file *first_after(const struct archive_file *file, size_t n,
					      int64_t epoch)
{
	for (size_t i = 0; i < n; i++)
		if (file[i].epoch > epoch)
			return &file[i];
	return NULL;
}

/* The one that is to be read next: of the archive's epochs, or one before them by a set clock. */
static const struct archive_file *choose(struct follow *f, const struct archive_file *file,
					 size_t n, ino_t current)
{
	if (f->newest && f->resume)
		return newest(file, n, current);
	const struct archive_file *same = find_epoch(file, n, f->epoch);
	if (same && f->resume)
		return same;
	const struct archive_file *next = f->after ? first_after(file, n, f->after) : NULL;
	if (next && next->epoch < f->epoch)
		return next;
	next = first_after(file, n, f->epoch);
	if (next)
		return next;
	const struct archive_file *now = find_inode(file, n, current);
	return now && now->epoch != f->epoch ? now : NULL;
}

static int open_live(struct follow *f, const char *path)
{
	struct stat st;
	int64_t last_us;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	int r = fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0)
		r = tail_find_whole(fd, st.st_size, &f->whole, &last_us);
	if (r < 0) {
		close_fd(&fd);
		return r;
	}
	f->fd = fd;
	f->inode = st.st_ino;
	return 0;
}

static int open_file(struct follow *f, const struct archive_file *file, ino_t current)
{
	ino_t inode = inode_of(AT_FDCWD, file->path);
	close_file(f);
	f->live = inode && inode == current;
	f->whole = 0;
	f->inode = inode;
	int r = f->live ? open_live(f, file->path) : input_open(file->path, &f->input);
	if (r < 0)
		return r;
	if (file->epoch > f->epoch)
		f->after = f->epoch;
	else if (file->epoch <= f->after)
		f->after = 0;
	f->epoch = file->epoch;
	f->resume = false;
	f->at = f->begin = 0;
	f->same = UINT64_MAX;
	f->from = f->n = f->n_ends = f->n_head = 0;
	f->known = false;
	f->ended_group = true;
	f->last = '\0';
	return 0;
}

/* -ENOENT: there is none yet, or it was compressed or removed just now. */
static int find_file(struct follow *f)
{
	struct archive_file *file;
	ino_t current = inode_of(f->dirfd, "current");
	size_t n;
	if (is_gone(f))
		return -ESTALE;
	int r = archive_list(f->path.p, &file, &n, NULL);
	if (r < 0)
		return r;
	if (!current)
		current = growing(f, file, n);
	const struct archive_file *next = choose(f, file, n, current);
	f->gone |= next && f->epoch && !find_epoch(file, n, f->epoch);
	r = next ? open_file(f, next, current) : -ENOENT;
	archive_list_free(file, n);
	return r;
}

int follow_next_file(struct follow *f)
{
	for (;;) {
		int r = find_file(f);
		if (r == 0 || f->once || (r != -ENOENT && r != -EFBIG))
			return r;
		if (f->again)
			return -EAGAIN;
		r = f->idle ? f->idle(f->arg) : 0;
		if (r == 0)
			r = wait_for_change(f);
		if (r < 0)
			return r;
	}
}

static uint64_t digest_of(const char *head, size_t n)
{
	return str_hash((struct str){ head, n }) >> 1 | 1;
}

static void keep_end(struct follow *f)
{
	if (f->n_ends == FOLLOW_ENDS)
		memmove(f->ends, f->ends + 1, --f->n_ends * sizeof(f->ends[0]));
	f->digest = digest_of(f->head, f->n_head);
	f->ends[f->n_ends++] = (struct follow_end){ f->begin, f->at, f->digest };
	f->begin = f->at;
	f->n_head = 0;
}

/* A group that the disk cannot read just now counts as it was: else all would be read twice. */
static bool is_as_read(const struct follow *f, const struct follow_end *e, off_t size)
{
	char head[FOLLOW_HEAD];
	uint64_t bytes = e->end - e->begin;
	size_t n = bytes < sizeof(head) ? (size_t)bytes : sizeof(head);
	if (e->end > (uint64_t)size)
		return false;
	ssize_t got = pread(f->fd, head, n, (off_t)e->begin);
	return got < 0 || (got == (ssize_t)n && digest_of(head, n) == e->digest);
}

/*
 * A writer takes back what was not whole or not synced, and another may write in its place: goes
 * back to the newest group that is as it was. False: there is none, the file is read again.
 */
static bool go_back(struct follow *f)
{
	struct stat st;
	if (fstat(f->fd, &st) < 0 || f->n_ends == 0)
		return true;
	while (f->n_ends && !is_as_read(f, &f->ends[f->n_ends - 1], st.st_size))
		f->n_ends--;
	if (f->n_ends == 0) {
		follow_again(f);
		return false;
	}
	const struct follow_end *last = &f->ends[f->n_ends - 1];
	if (last->end == f->at)
		return true;
	f->at = f->begin = f->same = last->end;
	f->whole = (off_t)f->at;
	f->digest = last->digest;
	return true;
}

/* More whole groups than before? */
static bool has_grown(struct follow *f)
{
	struct stat st;
	off_t whole;
	int64_t last_us;
	if (fstat(f->fd, &st) < 0 || st.st_size <= f->whole ||
	    tail_find_whole(f->fd, st.st_size, &whole, &last_us) < 0 || whole <= f->whole)
		return false;
	f->whole = whole;
	return true;
}

static ssize_t end_group(struct follow *f, char *to)
{
	f->ended_group = true;
	f->known = false;
	keep_end(f);
	if (!f->grouped)
		return 0;
	f->grouped = false;
	memcpy(to, GROUP_END, sizeof(GROUP_END) - 1);
	return sizeof(GROUP_END) - 1;
}

static void keep_head(struct follow *f, const char *p, size_t n)
{
	size_t room = sizeof(f->head) - f->n_head;
	if (n > room)
		n = room;
	memcpy(f->head + f->n_head, p, n);
	f->n_head += n;
}

/* The reader knows what the end of a file is. */
static ssize_t end_input(struct follow *f)
{
	if (!f->ended_group)
		keep_end(f);
	f->ended_group = true;
	return 0;
}

/* A header is no group, and nothing is to come between it and the first one. */
static void look_at_begin(struct follow *f, const char *p, size_t n)
{
	for (size_t i = 0; i < n && !f->known; i++) {
		f->known = p[i] != '\n';
		f->grouped = p[i] >= '0' && p[i] <= '9';
	}
}

/* Up to the next blank line, at most. 0: the blank line after a header. */
static ssize_t hand_out(struct follow *f, char *to, size_t n)
{
	const char *p = f->chunk + f->from;
	size_t left = f->n - f->from;
	if (*p == '\n' && f->last == '\n' && !f->ended_group)
		return end_group(f, to);
	const char *blank = memmem(p, left, "\n\n", 2);
	size_t take = blank ? (size_t)(blank + 1 - p) : left;
	if (take > n)
		take = n;
	look_at_begin(f, p, take);
	keep_head(f, p, take);
	memcpy(to, p, take);
	f->last = p[take - 1];
	f->from += take;
	f->at += take;
	f->ended_group = false;
	return (ssize_t)take;
}

/* The next bytes of the file; 0: no more than these are whole. */
static ssize_t refill(struct follow *f)
{
	off_t left = f->whole - (off_t)f->at;
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

/* 1: current has grown; 0: nothing comes after what it had, or other groups; or -errno. */
static int wait_for_more(struct follow *f)
{
	for (;;) {
		bool replaced = is_replaced(f);	/* before the last look: nothing comes later */
		if (!go_back(f))
			return 0;
		if (has_grown(f))
			return 1;
		if (replaced || f->once)
			return 0;
		if (f->again)
			return is_gone(f) ? 0 : -EAGAIN;
		int r = f->idle ? f->idle(f->arg) : 0;
		if (r == 0)
			r = wait_for_change(f);
		if (r < 0)
			return r == -EINTR || r == -ESTALE ? 0 : r;
	}
}

static ssize_t read_on(void *arg, char *to, size_t n)
{
	struct follow *f = arg;
	for (;;) {
		ssize_t got = f->from < f->n ? 0 : refill(f);
		if (got < 0)
			return got;
		if (f->from < f->n)
			got = hand_out(f, to, n);
		else if (f->input)
			return end_input(f);
		else if (!f->ended_group)
			got = end_group(f, to);
		else if ((got = wait_for_more(f)) <= 0)
			return got;
		else
			continue;
		if (got)
			return got;
	}
}

int follow_wakes(struct follow *f)
{
	read_events(f);
	return f->inotify;
}

bool follow_is_newest(const struct follow *f)
{
	return f->live && f->from == f->n && (off_t)f->at >= f->whole;
}

struct byte_source follow_bytes(struct follow *f)
{
	return (struct byte_source){ read_on, f };
}
