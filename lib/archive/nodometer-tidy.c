/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-tidy.c - compress the closed files of one host's archive and remove the oldest */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "archive/pack.h"
#include "archive/archive.h"
#include "archive/tail.h"
#include "archive/tidy.h"
#include "archive/torn.h"
#include "base/buf.h"
#include "base/files.h"
#include "base/cli.h"
#include "base/log.h"
#include "base/vec.h"

#define NAME_SIZE 64
#define DAY_S     86400
#define LOCK_MS   10000

struct closed_file {
	char name[NAME_SIZE];
	int64_t epoch;
	off_t size;
	time_t written;
	bool packed;
	bool half;		/* a temporary file EPOCH.zst.tmp, left by a run that was killed */
};

struct closed_files {
	struct closed_file *file;
	size_t n, cap;
};

/*
 * Parse a name EPOCH, EPOCH.zst, EPOCH.gz or EPOCH.zst.tmp. Files with other names are not touched.
 */
static bool tidy_parse_name(const char *name, struct closed_file *f)
{
	struct str s = str_of(name);
	uint64_t epoch;
	if (!str_take_u64(&s, &epoch) || epoch > INT64_MAX || strlen(name) >= NAME_SIZE)
		return false;
	f->half = str_eq(s, STR(".zst.tmp"));
	f->packed = str_eq(s, STR(".zst")) || str_eq(s, STR(".gz"));
	if (s.n && !f->packed && !f->half)
		return false;
	f->epoch = (int64_t)epoch;
	str_copy(f->name, sizeof(f->name), str_of(name));
	return true;
}

static int tidy_compare_epochs(const void *a, const void *b)
{
	const struct closed_file *x = a, *y = b;
	return x->epoch != y->epoch ? (x->epoch > y->epoch) - (x->epoch < y->epoch)
				    : x->packed - y->packed;
}

/* Leave out the newest epoch: there may be two files of it, the file and its compressed copy. */
static void tidy_leave_out_newest(struct closed_files *all)
{
	int64_t newest = all->n ? all->file[all->n - 1].epoch : 0;
	while (all->n && all->file[all->n - 1].epoch == newest)
		all->n--;
}

/*
 * List all files but the current one. The caller holds the lock, because a file that was just begun
 * looks like a closed file. If "current" exists or `copies` is set, but no file is the current one,
 * the folder has copies of a node's files: then leave out the newest file, which may still grow on
 * its node.
 */
static int tidy_list_files(int dirfd, bool copies, struct closed_files *all)
{
	struct stat st, current = { .st_ino = 0 };
	const struct dirent *e;

	if (fstatat(dirfd, "current", &current, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT)
		return -errno;
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir)
		return -errno;
	copies |= current.st_ino != 0;
	while ((e = readdir(dir))) {
		struct closed_file f = { .epoch = 0 };
		if (!tidy_parse_name(e->d_name, &f) ||
		    fstatat(dirfd, f.name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (st.st_ino == current.st_ino) {
			copies = false;
			continue;
		}
		if (f.half) {
			unlinkat(dirfd, f.name, 0);
			continue;
		}
		f.size = st.st_size;
		f.written = st.st_mtime;
		all->file = vec_reserve(all->file, &all->cap, all->n + 1, sizeof(f));
		all->file[all->n++] = f;
	}
	closedir(dir);
	if (all->n)
		qsort(all->file, all->n, sizeof(*all->file), tidy_compare_epochs);
	if (copies)
		tidy_leave_out_newest(all);
	return 0;
}

/*
 * Take the lock and list the closed files. They stay closed after the lock is released, because
 * writers look up the current file each time they take the lock. Call this before nice(2): on a
 * busy node, a process with low priority could hold the lock for seconds while the writer waits.
 */
static int tidy_list_closed(int dirfd, struct closed_files *all)
{
	int lock CLEANUP(close_fd) = openat(dirfd, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (lock < 0)
		return errno == ENOENT ? tidy_list_files(dirfd, true, all) : -errno;
	int r = files_lock(lock, LOCK_MS);
	return r < 0 ? r : tidy_list_files(dirfd, false, all);
}

static bool tidy_is_our_file(int fd)
{
	char head[65536];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	return n > 0 && memmem(head, (size_t)n, "\n$agent nodometer ", 18);
}

/*
 * Cut off the torn tail of a closed file: a writer was killed, and no later writer has repaired the
 * file.
 */
static int tidy_cut_tail(int dirfd, const struct closed_file *f)
{
	int fd CLEANUP(close_fd) = openat(dirfd, f->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	off_t whole = f->size;
	int64_t last_us;
	if (fd < 0)
		return -errno;
	int r = tidy_is_our_file(fd) ? tail_find_whole(fd, f->size, &whole, &last_us) : 0;
	if (r == -EFBIG || whole == f->size || whole == 0)
		return 0;	/* the file has no torn tail */
	if (r < 0)
		return r;
	int to CLEANUP(close_fd) = archive_open_lock(dirfd, TORN_NAME);
	return torn_cut(to, fd, f->name, f->size, whole, &log_listener);
}

/* Returns true if the list has a file, or with `packed` a compressed file, of this epoch. */
static bool tidy_has_epoch(const struct closed_files *all, int64_t epoch, bool packed)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->file[i].epoch == epoch && (all->file[i].packed || !packed))
			return true;
	return false;
}

/*
 * List the files again, since compression changes names and sizes. Drop files that were not in the
 * first list, because they may not be closed.
 */
static int tidy_list_again(int dirfd, struct closed_files *all)
{
	struct closed_files now = { .n = 0 };
	int r = tidy_list_files(dirfd, faccessat(dirfd, "lock", F_OK, AT_SYMLINK_NOFOLLOW) < 0,
				&now);
	size_t n = 0;
	for (size_t i = 0; r == 0 && i < now.n; i++)
		if (tidy_has_epoch(all, now.file[i].epoch, false))
			now.file[n++] = now.file[i];
	now.n = n;
	free(all->file);
	*all = now;
	return r;
}

static int tidy_pack_closed(int dirfd, const struct closed_files *all)
{
	int failed = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct closed_file *f = &all->file[i];
		int r = 0;
		if (f->packed)
			continue;
		if (f->size == 0 || tidy_has_epoch(all, f->epoch, true))
			r = unlinkat(dirfd, f->name, 0) < 0 ? -errno : 0;
		else
			r = tidy_cut_tail(dirfd, f);
		if (r == 0 && f->size && !tidy_has_epoch(all, f->epoch, true))
			r = pack_file(dirfd, f->name);
		if (r < 0) {
			log_error("cannot compress %s: %s", f->name, strerror(-r));
			failed = r;
		}
	}
	return failed;
}

static bool tidy_is_below_floor(int dirfd, int64_t floor)
{
	struct statvfs v;
	return fstatvfs(dirfd, &v) == 0 && tidy_below(&v, floor);
}

static int tidy_remove_oldest(int dirfd, const struct closed_files *all,
			      const struct tidy_limits *l)
{
	time_t now = time(NULL);
	int64_t total = 0;

	for (size_t i = 0; i < all->n; i++)
		total += all->file[i].size;
	for (size_t i = 0; i < all->n; i++) {
		const struct closed_file *f = &all->file[i];
		int64_t age = now - f->written;
		const char *why =
			l->days && age > l->days * DAY_S ? "older than retain-days" :
			l->bytes && total > l->bytes ? "archive over retain-size" :
			age > DAY_S && tidy_is_below_floor(dirfd, l->free_floor) ?
			"below free-floor" : NULL;
		if (!why)
			break;
		if (unlinkat(dirfd, f->name, 0) < 0)
			return -errno;
		log_notice("%s removed: %s", f->name, why);
		total -= f->size;
	}
	return 0;
}

/*
 * Open the lock that "nodometer gather" holds while it copies files into this folder. Returns the
 * descriptor, or -1 if there is no such lock.
 */
static int tidy_open_gather_lock(int dirfd)
{
	if (faccessat(dirfd, "lock", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -1;
	return openat(dirfd, "../.gather", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static int tidy_archive(const char *dir, const struct tidy_limits *l)
{
	struct closed_files all = { .n = 0 };
	int dirfd CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dirfd < 0)
		return -errno;
	int once CLEANUP(close_fd) = archive_open_lock(dirfd, "tidy");
	if (once < 0)
		return once;
	int gather CLEANUP(close_fd) = tidy_open_gather_lock(dirfd);
	if (flock(once, LOCK_EX | LOCK_NB) < 0 ||
	    (gather >= 0 && flock(gather, LOCK_EX | LOCK_NB) < 0))
		/* return 0 if another process tidies this folder, or copies files into it */
		return errno == EWOULDBLOCK ? 0 : -errno;
	int r = tidy_list_closed(dirfd, &all);
	if (setpriority(PRIO_PROCESS, 0, 19) < 0)
		log_debug("nice: %s", strerror(errno));
	int e = r;
	if (r == 0 && l->compress) {
		r = tidy_pack_closed(dirfd, &all);
		e = tidy_list_again(dirfd, &all);
	}
	if (e == 0)
		e = tidy_remove_oldest(dirfd, &all, l);
	free(all.file);
	return r < 0 ? r : e;
}

enum { DAYS, SIZE, FLOOR, PACK };
static const struct cli_option options[] = {
	[DAYS]  = { "retain-days", "N", "remove files older than N days (default 0: never)" },
	[SIZE]  = { "retain-size", "N", "remove the oldest closed files above N bytes (default 0: "
		    "never)" },
	[FLOOR] = { "free-floor",  "N", "bytes to keep free on the file system; \"default\" is the "
		    "agent's (default 0)" },
	[PACK]  = { "compress",   NULL, "compress closed files to EPOCH.zst" },
};
static const struct cli cli = {
	.program = "nodometer-tidy", .operands = "DIR/HOST", CLI_OPTIONS(options),
	.about = "Compresses closed raw files of one host and removes the oldest.\n"
		 "The agent runs it after each rotation and every hour.",
	.page = "nodometer-tidy(8)",
};

static void tidy_set_number(struct tidy_limits *l, int option, const char *text)
{
	static const struct key keys[] = {
		[DAYS]  = { TIDY_DAYS_KEY(offsetof(struct tidy_limits, days)) },
		[SIZE]  = { TIDY_SIZE_KEY(offsetof(struct tidy_limits, bytes)) },
		[FLOOR] = { TIDY_FLOOR_KEY(offsetof(struct tidy_limits, free_floor)) },
	};
	struct buf why CLEANUP(buf_free) = { 0 };
	if (!key_set(&keys[option], l, text, &why))
		cli_wrong(&cli, "--" STR_FMT, STR_ARG(buf_str(&why)));
}

static void tidy_take_options(struct tidy_limits *l, int argc, char **argv)
{
	const char *arg;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		if (o == PACK)
			l->compress = true;
		else if (o == FLOOR && strcmp(arg, "default") == 0)
			l->free_floor = TIDY_FLOOR;
		else
			tidy_set_number(l, o, arg);
	}
	if (argc - optind != 1)
		cli_wrong(&cli, "expected one folder DIR/HOST");
}

int main(int argc, char **argv)
{
	struct tidy_limits l = { .days = 0 };

	log_open("nodometer-tidy", LOG_LEVEL_INFO);
	tidy_take_options(&l, argc, argv);
	if (l.compress && !TIDY_PACKS) {
		log_warning("built without libzstd: closed files are not compressed");
		l.compress = false;
	}
	int r = tidy_archive(argv[optind], &l);
	if (r < 0)
		log_error("%s: %s", argv[optind], strerror(-r));
	return r < 0;
}
