/* SPDX-License-Identifier: BSD-3-Clause */
/* test_faults.c - let each system call fail in turn: errors are reported and no data is lost */
#include "tests/unit/archive_node.h"

#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#include "archive/copy_to.h"
#include "archive/cursor.h"
#include "archive/ends.h"
#include "archive/follow_host.h"
#include "archive/index.h"
#include "archive/pack.h"
#include "archive/tail.h"
#include "archive/text_at.h"
#include "archive/tidy.h"
#include "archive/unwritten.h"
#include "archive/writer.h"
#include "formats/raw_read.h"
#include "recorder/spool.h"

static struct {
	const char *only;	/* name of the call that fails, or NULL for any call */
	int after, e;		/* number of calls that succeed before one fails with errno e */
	bool armed, fired;
} fault;

static bool fails(const char *call)
{
	if (!fault.armed || (fault.only && strcmp(fault.only, call) != 0) || fault.after-- > 0)
		return false;
	fault.armed = false;
	fault.fired = true;
	errno = fault.e;
	return true;
}

static void arm(const char *only, int after, int e)
{
	fault.only = only;
	fault.after = after;
	fault.e = e;
	fault.armed = true;
	fault.fired = false;
}

/* The linker option -Wl,--wrap=NAME redirects calls of NAME to __wrap_NAME. */
#define CALL(type, name, parameters, arguments)                             \
	type __real_##name parameters;                                      \
	type __wrap_##name parameters;                                      \
	type __wrap_##name parameters                                       \
	{                                                                   \
		return fails(#name) ? (type)-1 : __real_##name arguments;   \
	}
CALL(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
CALL(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at))
CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))
CALL(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
CALL(off_t, lseek, (int fd, off_t at, int from), (fd, at, from))
CALL(int, fstat, (int fd, struct stat *st), (fd, st))
CALL(int, fstatat, (int dir, const char *path, struct stat *st, int f), (dir, path, st, f))
CALL(int, ftruncate, (int fd, off_t n), (fd, n))
CALL(int, fdatasync, (int fd), (fd))
CALL(int, fsync, (int fd), (fd))
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode))
CALL(int, futimens, (int fd, const struct timespec t[2]), (fd, t))
CALL(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
CALL(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
CALL(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
CALL(int, inotify_init1, (int flags), (flags))
CALL(int, inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, path, mask))
CALL(int, socketpair, (int a, int b, int c, int fd[2]), (a, b, c, fd))
CALL(int, setsockopt, (int a, int b, int c, const void *d, socklen_t e), (a, b, c, d, e))
CALL(pid_t, fork, (void), ())

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return fails("openat") ? -1 : __real_openat(dir, path, flags, mode);
}

/* Return the lowest free descriptor: compare before and after a call to find a leaked one. */
static int free_fd(void)
{
	int fd = dup(STDERR_FILENO);
	assert_true(fd >= 0);
	close(fd);
	return fd;
}

/* Require more than `least` failed calls, but not if long has 32 bits: pread64() is not wrapped. */
static void assert_more(int n, int least)
{
	assert_true(n > least || sizeof(long) < sizeof(off_t));
}

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n$agent nodometer " PACKAGE_VERSION "\n" \
	"$boot_id b1\n!cpu user,E idle,E\n!nodometer cpu bytes rows errors stalls\n"

static void begin(struct node *n)
{
	int r = archive_begin(&n->a, 10000000, STR(HEADER), STR(GROUP("10")));
	assert_int_equal(r, 0);
}

/* Release and take the lock, which makes the writer check the file "current" again. */
static int refresh(struct node *n)
{
	archive_unlock(&n->a);
	return archive_lock(&n->a, 1000);
}

static bool exists(const struct tree *t, const char *path)
{
	return faccessat(t->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

TEST(archive_that_failed_to_open_can_be_opened_later)
{
	int n = 0;
	do {
		struct tree t CLEANUP(tree_free);
		struct archive a;
		tree_make(&t);
		int fd = free_fd();
		arm(NULL, n++, EIO);
		int r = archive_open(&a, t.path, "n1");
		fault.armed = false;
		assert_int_equal(r, fault.fired ? -EIO : 0);
		archive_close(&a);
		assert_int_equal(free_fd(), fd);
		assert_int_equal(archive_open(&a, t.path, "n1"), 0);
		archive_close(&a);
	} while (fault.fired);
	assert_more(n, 3);
}

TEST(failed_new_file_keeps_the_old_one)
{
	int n = 0;
	do {
		struct node node CLEANUP(node_free);
		node_open(&node);
		begin(&node);
		int fd = free_fd();
		arm(NULL, n++, EIO);
		int r = archive_begin(&node.a, 20000000, STR(HEADER), STR(GROUP("20")));
		fault.armed = false;
		assert_true(r == 0 || free_fd() == fd);
		assert_file(&node.tree, "n1/10", STR(HEADER GROUP("10")));
		assert_false(exists(&node.tree, "n1/current.new"));
		assert_int_equal(exists(&node.tree, "n1/20"), r == 0);
		assert_file(&node.tree, "n1/current", r < 0 ? STR(HEADER GROUP("10")) :
			    STR(HEADER GROUP("20")));
		assert_int_equal(refresh(&node), 0);
		assert_int_equal(archive_append(&node.a, STR(GROUP("30"))), 0);
	} while (fault.fired);
	assert_more(n, 5);
}

/* A copied "current", or one of another program, has no second link named by its epoch. */
TEST(current_without_a_second_name_is_not_lost)
{
	int n = 0;
	do {
		struct node node CLEANUP(node_free);
		node_open(&node);
		tree_put(&node.tree, "n1/current", STR(HEADER GROUP("15")));
		assert_int_equal(refresh(&node), 0);
		arm(NULL, n++, EIO);
		int r = archive_begin(&node.a, 20000000, STR(HEADER), STR(GROUP("20")));
		fault.armed = false;
		if (r < 0) {
			assert_file(&node.tree, "n1/current", STR(HEADER GROUP("15")));
			continue;
		}
		assert_file(&node.tree, "n1/current", STR(HEADER GROUP("20")));
		struct archive_file *file;
		size_t n_files;
		assert_int_equal(archive_list(node.tree.path, &file, &n_files, NULL), 0);
		assert_int_equal(n_files, 2);
		archive_list_free(file, n_files);
	} while (fault.fired);
	assert_more(n, 5);
}

TEST(failed_append_leaves_no_group)
{
	int n = 0;
	do {
		struct node node CLEANUP(node_free);
		node_open(&node);
		begin(&node);
		arm(NULL, n++, EIO);
		int r = archive_append(&node.a, STR(GROUP("20")));
		fault.armed = false;
		assert_int_equal(r, fault.fired ? -EIO : 0);
		assert_file(&node.tree, "n1/current", r < 0 ? STR(HEADER GROUP("10")) :
			    STR(HEADER GROUP("10") GROUP("20")));
		assert_int_equal(refresh(&node), 0);
		assert_int_equal(archive_append(&node.a, STR(GROUP("30"))), 0);
	} while (fault.fired);
}

/* A writer that read only a part of a file must not write after an incomplete last record. */
TEST(nothing_is_written_after_a_torn_tail)
{
	static const char torn[] = HEADER GROUP("10") "\n11 -\ncpu 0 1";
	int n = 0;
	do {
		struct node node CLEANUP(node_free);
		node_open(&node);
		tree_put(&node.tree, "n1/current", STR(torn));
		arm(NULL, n++, EIO);
		int r = refresh(&node);
		bool covers = r == 0 && archive_covers(&node.a, STR("1.0.2"), STR(HEADER),
						       STR("b1"));
		fault.armed = false;
		if (covers) {
			assert_int_equal(archive_append(&node.a, STR(GROUP("20"))), 0);
			assert_file(&node.tree, "n1/current", STR(HEADER GROUP("10") GROUP("20")));
			continue;
		}
		node.a.size = -1;
		assert_int_equal(refresh(&node), 0);
		assert_file(&node.tree, "n1/current", STR(HEADER GROUP("10")));
	} while (fault.fired);
	assert_more(n, 5);
}

/* After a failed save, the file has the old or the new cursor, and the next save succeeds. */
TEST(cursor_is_saved_whole_or_unchanged)
{
	static const struct cursor old = { .epoch = 10, .offset = 5, .why = "no connection" };
	static const struct cursor new = { .epoch = 10, .offset = 9 };
	int n = 0;
	do {
		struct tree t CLEANUP(tree_free);
		struct cursor got = { .epoch = 1 };
		char path[96];
		tree_make(&t);
		snprintf(path, sizeof(path), "%s/cursor", t.path);
		if (n % 2)	/* odd n: the file exists and the save overwrites it */
			assert_int_equal(cursor_save(&old, path), 0);
		arm(NULL, n / 2, EIO);
		int r = cursor_save(&new, path);
		fault.armed = false;
		bool saved = fault.fired;
		arm(NULL, n / 2, EIO);
		int loaded = cursor_load(&got, path);
		fault.armed = false;
		fault.fired |= saved;
		if (loaded < 0)
			assert_int_equal(got.epoch, 1);
		else
			assert_int_equal(got.offset, r == 0 ? 9 : 5);
		assert_int_equal(cursor_save(&new, path), 0);
		assert_int_equal(cursor_load(&got, path), 0);
		assert_int_equal(got.offset, 9);
		n++;
	} while (fault.fired || n % 2);
	assert_more(n, 4);
}

/* An archive file of a node, about 20,000 bytes, which copy_to() is to copy. */
struct theirs {
	struct buf text;
	int reads;	/* number of reads that succeed; the next read returns .e */
	int e;
};

static ssize_t read_theirs(void *arg, char *to, size_t n, uint64_t at)
{
	struct theirs *f = arg;
	if (f->reads-- == 0)
		return f->e;
	struct str rest = str_skip(buf_str(&f->text), (size_t)at);
	n = n < rest.n ? n : rest.n;
	memcpy(to, rest.p, n);
	return (ssize_t)n;
}

static void make_theirs(struct theirs *f)
{
	*f = (struct theirs){ .reads = INT_MAX };
	for (int i = 0; i < 2000; i++)
		buf_addf(&f->text, "%09d\n", i);
}

static void free_theirs(struct theirs *f)
{
	buf_free(&f->text);
}

static int copy(const struct tree *t, struct theirs *f, struct buf *why)
{
	const struct copy_source from = { read_theirs, f };
	uint64_t copied = 0;
	why->n = 0;
	return copy_to(t->path, "n1", 10, &from, f->text.n, &copied, why);
}

/* Store half of the node's file as its copy. changed: added to the last byte; -1: store nothing. */
static void put_half(const struct tree *t, const struct theirs *f, int changed)
{
	struct buf half CLEANUP(buf_free) = { 0 };
	if (changed < 0)
		return;
	buf_add(&half, (struct str){ f->text.p, 10005 });
	half.p[half.n - 1] = (char)(half.p[half.n - 1] + changed);
	tree_put(t, "n1/10", buf_str(&half));
}

static void assert_copied_later(const struct tree *t, struct theirs *f)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	f->reads = INT_MAX;
	assert_int_equal(copy(t, f, &why), 0);
	assert_int_equal(why.n, 0);
	assert_file(t, "n1/10", buf_str(&f->text));
}

/* The copy is missing (changed -1), half of the file (0), or half with a bad last byte (1). */
TEST(failed_copy_is_whole_the_next_time)
{
	for (int changed = -1; changed < 2; changed++) {
		int n = 0;
		do {
			struct tree t CLEANUP(tree_free);
			struct theirs f CLEANUP(free_theirs);
			struct buf why CLEANUP(buf_free) = { 0 };
			tree_make(&t);
			make_theirs(&f);
			put_half(&t, &f, changed);
			int fd = free_fd();
			arm(NULL, n++, EIO);
			int r = copy(&t, &f, &why);
			fault.armed = false;
			assert_int_equal(free_fd(), fd);
			assert_int_equal(why.n > 0, r < 0);
			if (r == 0)
				assert_file(&t, "n1/10", buf_str(&f.text));
			assert_copied_later(&t, &f);
		} while (fault.fired);
	}
}

TEST(node_that_stops_sending_is_asked_again)
{
	static const int ends[] = { -EIO, 0 };
	for (int i = 0; i < 6; i++) {
		struct tree t CLEANUP(tree_free);
		struct theirs f CLEANUP(free_theirs);
		struct buf why CLEANUP(buf_free) = { 0 };
		tree_make(&t);
		make_theirs(&f);
		put_half(&t, &f, 0);
		f.reads = i / 2;
		f.e = ends[i % 2];
		int r = copy(&t, &f, &why);
		assert_int_equal(r == 0, i == 3);	/* case 3 copies the whole file again */
		assert_int_equal(why.n > 0, r < 0);
		assert_copied_later(&t, &f);
	}
}

/* Compression is detected from the first bytes, so this plain text may be named .gz. */
TEST(compressed_copy_is_not_made_again)
{
	struct tree t CLEANUP(tree_free);
	struct theirs f CLEANUP(free_theirs);
	struct buf why CLEANUP(buf_free) = { 0 };
	tree_make(&t);
	make_theirs(&f);
	tree_put(&t, "n1/10.gz", buf_str(&f.text));
	assert_int_equal(copy(&t, &f, &why), 0);
	assert_false(exists(&t, "n1/10"));
	tree_put(&t, "n1/10.gz", (struct str){ f.text.p, f.text.n - 1 });
	assert_int_equal(copy(&t, &f, &why), 0);
	assert_file(&t, "n1/10", buf_str(&f.text));
}

/* Write the text to PATH and, compressed, to PATH.gz. Returns false if built without zlib. */
static bool put_both(const struct tree *t, const char *path, struct str text)
{
	tree_put(t, path, text);
#ifdef HAVE_ZLIB
	char gz[128];
	snprintf(gz, sizeof(gz), "%s/%s.gz", t->path, path);
	gzFile f = gzopen(gz, "w");
	assert_non_null(f);
	assert_int_equal(gzwrite(f, text.p, (unsigned)text.n), text.n);
	assert_int_equal(gzclose(f), Z_OK);
	return true;
#else
	return false;
#endif
}

static void put_many(struct buf *b)
{
	buf_add(b, STR(HEADER));
	for (int i = 0; i < 3000; i++)
		buf_addf(b, "\n%d %d\ncpu 0 1 2\nnodometer - 5 6 2 0 0\n", 1000 + i, i);
}

/* Let each call fail in turn: ends_read() returns header and last record groups, or an error. */
static void read_ends(const struct tree *t, const char *name, struct str want)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	char path[128];
	int n = 0;
	snprintf(path, sizeof(path), "%s/%s", t->path, name);
	do {
		int fd = free_fd();
		arm(NULL, n++, EIO);
		int r = ends_read(path, 5000, &got);
		fault.armed = false;
		assert_int_equal(free_fd(), fd);
		assert_true(r == 0 || fault.fired);
		if (r == 0)
			assert_text(buf_str(&got), want);
	} while (fault.fired);
}

TEST(ends_of_a_file_are_read_or_an_error_returned)
{
	struct tree t CLEANUP(tree_free);
	struct buf text CLEANUP(buf_free) = { 0 }, want CLEANUP(buf_free) = { 0 };
	tree_make(&t);
	put_many(&text);
	bool gz = put_both(&t, "f", buf_str(&text));
	struct str tail = str_skip(buf_str(&text), text.n - 5000);
	const char *first = memmem(tail.p, tail.n, "\n\n", 2);
	buf_add(&want, STR(HEADER "\n"));
	buf_add(&want, str_skip(tail, (size_t)(first + 2 - tail.p)));
	read_ends(&t, "f", buf_str(&want));
	if (gz)
		read_ends(&t, "f.gz", buf_str(&want));
}

static void read_at(const struct tree *t, struct str text, const char *only, int e)
{
	const uint64_t places[] = { 100, 60000, 59000, text.n - 900 };
	int n = 0;
	do {
		struct text_at at CLEANUP(text_at_close) = { .fd = -1 };
		char got[1000];
		ssize_t r = 0;
		arm(only, n++, e);
		if (text_at_open(&at, t->path, "n1", 10) == 0)
			for (size_t i = 0; i < ARRAY_SIZE(places) && r >= 0; i++) {
				r = text_at_read(&at, got, sizeof(got), places[i]);
				if (r >= 0)
					assert_memory_equal(got, text.p + places[i], (size_t)r);
			}
		fault.armed = false;
		assert_true(r >= 0 || (fault.fired && e != EINTR));
		if (at.path.n && r >= 0)
			assert_int_equal(r, 900);
	} while (fault.fired);
}

/* Calls that a signal interrupts (EINTR) are repeated and give no error. */
TEST(text_at_an_offset_is_right_or_an_error)
{
	struct tree t CLEANUP(tree_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	tree_make(&t);
	put_many(&text);
	tree_put(&t, "n1/x", STR(""));
	for (bool gz = put_both(&t, "n1/10", buf_str(&text)), last = false; !last; ) {
		read_at(&t, buf_str(&text), NULL, EIO);
		read_at(&t, buf_str(&text), "read", EINTR);
		read_at(&t, buf_str(&text), "pread", EINTR);
		last = !gz || !exists(&t, "n1/10");
		unlinkat(t.fd, "n1/10", 0);
	}
}

TEST(unreadable_file_may_have_the_job)
{
	struct tree t CLEANUP(tree_free);
	char path[128];
	int n = 0;
	tree_make(&t);
	put_both(&t, "f", STR(HEADER "\n10 77\ncpu 0 1 2\nnodometer - 5 6 2 0 0\n"));
	snprintf(path, sizeof(path), "%s/f", t.path);
	do {
		int fd = free_fd();
		arm(NULL, n++, EIO);
		assert_false(index_excludes(path, STR("77")));
		fault.armed = false;
		assert_int_equal(free_fd(), fd);
	} while (fault.fired);
	assert_true(index_excludes(path, STR("78")));
}

TEST(unwritten_groups_survive_a_failed_open)
{
	static const char text[] = "\n$hpcperfstats 1.0.2\n\n1 -\nnodometer - 1 2 1 0 0\n";
	struct unwritten *p = xrealloc(NULL, sizeof(*p));
	struct tree t CLEANUP(tree_free);
	int n = 0;
	tree_make(&t);
	memset(p, 0, sizeof(*p));
	int groups = openat(t.fd, "groups", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(unwritten_open(p, groups), 0);
	assert_int_equal(unwritten_add(p, 1, STR(""), str_of(text), true), 0);
	unwritten_clear(p);
	do {
		struct buf left CLEANUP(buf_free) = { 0 };
		memset(p, 0, sizeof(*p));
		int fd = free_fd();
		groups = openat(t.fd, "groups", O_RDWR | O_CLOEXEC);
		arm("ftruncate", n++, ENOSPC);
		int r = unwritten_open(p, groups);
		fault.armed = false;
		assert_int_equal(r, fault.fired ? -ENOSPC : 0);
		unwritten_clear(p);
		assert_int_equal(free_fd(), fd);
		groups = openat(t.fd, "groups", O_RDWR | O_CLOEXEC);
		unwritten_read(groups, &left);
		close(groups);
		assert_text(buf_str(&left), STR(text));
	} while (fault.fired);
	free(p);
}

static void assert_packed(const struct tree *t, struct str want)
{
	char path[128];
	struct buf got CLEANUP(buf_free) = { 0 };
	struct input *in;
	ssize_t n;
	snprintf(path, sizeof(path), "%s/10.zst", t->path);
	assert_int_equal(input_open(path, &in), 0);
	const struct byte_source s = input_bytes(in);
	do {
		buf_reserve(&got, 4096);
		n = s.read(s.arg, got.p + got.n, 4096);
		assert_true(n >= 0);
		got.n += (size_t)n;
	} while (n);
	input_free(in);
	assert_text(buf_str(&got), want);
}

TEST(file_that_cannot_be_compressed_stays)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	int n = 0;
	put_many(&text);
	do {
		struct tree t CLEANUP(tree_free);
		tree_make(&t);
		tree_put(&t, "10", buf_str(&text));
		int fd = free_fd();
		arm(NULL, n++, EIO);
		int r = pack_file(t.fd, "10");
		fault.armed = false;
		assert_int_equal(free_fd(), fd);
		assert_true(r == 0 || fault.fired || (r == -EOPNOTSUPP && !TIDY_PACKS));
		assert_false(exists(&t, "10.zst.tmp"));
		assert_int_equal(exists(&t, "10"), r < 0);
		if (r < 0)
			assert_file(&t, "10", buf_str(&text));
		if (exists(&t, "10.zst"))
			assert_packed(&t, buf_str(&text));
	} while (fault.fired);
	assert_more(n, TIDY_PACKS ? 8 : 0);
}

TEST(failed_start_leaves_no_writer)
{
	static const char *const calls[] = { "socketpair", "setsockopt", "fork" };
	struct tree t CLEANUP(tree_free);
	tree_make(&t);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct store like = { .place = { .dir = t.path, .host = "n1" }, .lock_ms = 1000 };
		struct writer w = { .fd = -1 };
		const struct store_piece p = { .usec = 10000000, .fresh = true,
					 .group = STR(HEADER GROUP("10")) };
		struct stored got;
		int fd = free_fd();
		arm(calls[i], 0, EAGAIN);
		int r = writer_put(&w, &like, &p, &got);
		fault.armed = false;
		assert_int_equal(r, -EAGAIN);
		arm(calls[i], 0, EAGAIN);
		r = writer_send(&w, &like, &p);
		fault.armed = false;
		assert_int_equal(r, -EAGAIN);
		assert_int_equal(w.fd, -1);
		assert_int_equal(free_fd(), fd);
		assert_false(exists(&t, "n1"));
	}
}

/* Append the time in seconds of each record to got. Returns 0 at the end, or -errno. */
static int follow_all(struct follow *f, struct buf *got)
{
	const struct record *g;
	int r, more = 0;
	while ((r = follow_next_file(f)) == 0) {
		const struct byte_source s = follow_bytes(f);
		struct record_source source = raw_records(&s, NULL);
		while ((more = record_next(&source, &g)) > 0)
			buf_addf(got, "%lld ", (long long)g->usec / 1000000);
		record_source_end(&source);
		if (more < 0)
			return more;
	}
	return r == -ENOENT ? 0 : r;
}

TEST(unreadable_mark_stays_in_the_spool)
{
	struct spool s = { .dirfd = -1, .lockfd = -1 };
	struct tree t CLEANUP(tree_free);
	struct spooled *all;
	char name[SPOOL_NAME_SIZE];
	size_t found;
	int n = 0;
	tree_make(&t);
	assert_int_equal(spool_open(&s, t.path), 0);
	assert_int_equal(spool_leave(&s, 9, STR("begin 7"), name), 0);
	do {
		arm(NULL, n++, EIO);
		int r = spool_read(&s, &all, &found);
		fault.armed = false;
		assert_int_equal(r, fault.fired ? -EIO : 0);
		assert_true(spool_has(&s, name) && found == (r == 0));
		spooled_free(all, found);
	} while (fault.fired);
	assert_more(n, 3);
	spool_close(&s);
}

/* The follower returns no record twice, and misses no record before an error. */
TEST(follower_gets_records_in_order)
{
	struct node node CLEANUP(node_free);
	const volatile int stop = 0;
	char path[128];
	int n = 0;
	node_open(&node);
	begin(&node);
	snprintf(path, sizeof(path), "%s/n1", node.tree.path);
	tree_put(&node.tree, "n1/5", STR(HEADER GROUP("5") GROUP("6")));
	tree_put(&node.tree, "n1/7", STR(HEADER GROUP("7")));
	tree_put(&node.tree, "n1/8", STR(HEADER GROUP("8")));
	do {
		struct buf got CLEANUP(buf_free) = { 0 };
		struct follow f = { .once = true, .stop = &stop };
		int fd = free_fd();
		arm(NULL, n++, EIO);
		int r = follow_open(&f, str_of(path));
		if (r == 0)
			r = follow_all(&f, &got);
		fault.armed = false;
		follow_close(&f);
		assert_int_equal(free_fd(), fd);
		assert_true(str_starts(STR("5 6 7 8 10 "), buf_str(&got)));
		assert_true(r < 0 || str_eq(buf_str(&got), STR("5 6 7 8 10 ")));
		assert_true(r == 0 || fault.fired);
	} while (fault.fired);
	assert_more(n, 5);
}

int main(void)
{
	RUN(cmocka_unit_test(archive_that_failed_to_open_can_be_opened_later),
	    cmocka_unit_test(failed_new_file_keeps_the_old_one),
	    cmocka_unit_test(current_without_a_second_name_is_not_lost),
	    cmocka_unit_test(failed_append_leaves_no_group),
	    cmocka_unit_test(nothing_is_written_after_a_torn_tail),
	    cmocka_unit_test(cursor_is_saved_whole_or_unchanged),
	    cmocka_unit_test(failed_copy_is_whole_the_next_time),
	    cmocka_unit_test(node_that_stops_sending_is_asked_again),
	    cmocka_unit_test(compressed_copy_is_not_made_again),
	    cmocka_unit_test(ends_of_a_file_are_read_or_an_error_returned),
	    cmocka_unit_test(text_at_an_offset_is_right_or_an_error),
	    cmocka_unit_test(unreadable_file_may_have_the_job),
	    cmocka_unit_test(unwritten_groups_survive_a_failed_open),
	    cmocka_unit_test(file_that_cannot_be_compressed_stays),
	    cmocka_unit_test(failed_start_leaves_no_writer),
	    cmocka_unit_test(unreadable_mark_stays_in_the_spool),
	    cmocka_unit_test(follower_gets_records_in_order));
}
