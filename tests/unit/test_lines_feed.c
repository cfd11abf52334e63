/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lines_feed.c - send each line of a rotated file once, and count lost files */
#include "tests/unit/heard.h"
#include "tests/unit/quick_waits.h"
#include "tests/unit/tree.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#include "archive/cursor.h"
#include "base/clock.h"
#include "send/feed.h"
#include "send/rotated.h"

struct sender;

static struct scratch {
	struct buf got;
	int n, most;		/* lines so far; the sender ends after .most */
	bool fails;		/* refuse the next line, and end the sender */
	bool busy;		/* refuse the next line once, and let the sender try again */
	void (*meanwhile)(struct sender *s);	/* called while the next line is sent */
	struct sender *sender;
} scratch;
static volatile int stop;

static int put_line(void *state, struct str line, struct buf *why)
{
	(void)state;
	(void)why;
	if (scratch.n >= scratch.most && scratch.fails) {
		stop = 1;
		return -EAGAIN;
	}
	if (scratch.meanwhile)
		scratch.meanwhile(scratch.sender);
	scratch.meanwhile = NULL;
	if (scratch.busy) {
		scratch.busy = false;
		return -EAGAIN;
	}
	buf_add(&scratch.got, line);
	buf_add_char(&scratch.got, ' ');
	stop = ++scratch.n >= scratch.most && !scratch.fails;
	return 0;
}

static const struct sink lines_sink = { .name = "lines", .put_line = put_line };

struct sender {
	struct tree tree;
	struct config config;
	struct section section;
	struct feed_node node;
	struct heard heard;
	struct listener listener;
	struct cursor cursor, refused;
};

static void sender_free(struct sender *s)
{
	buf_free(&scratch.got);
	tree_free(&s->tree);
}

/*
 * Run the sender until it has sent as many lines as want has, and compare the lines. With an empty
 * want, the sender only saves its position.
 */
static void run(struct sender *s, const char *want)
{
	char path[300];
	int most = 0;
	for (const char *p = want; *p; p++)
		most += *p == ' ';
	scratch.got.n = 0;
	scratch.n = 0;
	scratch.most = most;
	stop = most == 0;
	alarm(15);	/* fail instead of waiting forever */
	assert_int_equal(feed_run(&s->section, &s->node), 0);
	alarm(0);
	snprintf(path, sizeof(path), "%s/state/n1/lines", s->tree.path);
	assert_int_equal(cursor_load(&s->cursor, path), 0);
	assert_text(buf_str(&scratch.got), str_of(want));
}

/* Return the number of lines that a dry run counts as waiting. */
static unsigned waiting(struct sender *s)
{
	struct feed_waiting w = { 0 };
	struct feed_node dry = s->node;
	dry.dry = true;
	stop = 0;
	assert_int_equal(feed_count(&s->section, &dry, &w), 0);
	return (unsigned)w.records;
}

static void path_of(const struct sender *s, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/log/%s", s->tree.path, name);
}

/* Append the text at once, maybe in the same tick of the file clock as the last write. */
static void append_now(struct sender *s, const char *name, const char *text)
{
	char path[300];
	path_of(s, name, path, sizeof(path));
	FILE *f = fopen(path, "a");
	assert_non_null(f);
	assert_int_equal(fputs(text, f) >= 0, 1);
	assert_int_equal(fclose(f), 0);
}

static void append(struct sender *s, const char *name, const char *text)
{
	append_now(s, name, text);
	for (int64_t now = rotated_clock_ns(); rotated_clock_ns() == now;)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void set_age(struct sender *s, const char *name, time_t age_s)
{
	char path[300];
	path_of(s, name, path, sizeof(path));
	struct timespec then = { .tv_sec = time(NULL) - age_s }, at[2] = { then, then };
	assert_int_equal(utimensat(AT_FDCWD, path, at, 0), 0);
}

static void move(struct sender *s, const char *from, const char *to)
{
	char a[300], b[300];
	path_of(s, from, a, sizeof(a));
	path_of(s, to, b, sizeof(b));
	assert_int_equal(rename(a, b), 0);
}

static void drop(struct sender *s, const char *name)
{
	char path[300];
	path_of(s, name, path, sizeof(path));
	assert_int_equal(unlink(path), 0);
}

/* Set up a sender that has sent line 1 of t.json. */
static void sender_open(struct sender *s)
{
	*s = (struct sender){ .section = { .sink = &lines_sink, .rate = 100000 } };
	tree_make(&s->tree);
	str_copy(s->section.name, sizeof(s->section.name), STR("lines"));
	snprintf(s->section.lines, sizeof(s->section.lines), "%s/log/t.json", s->tree.path);
	snprintf(s->config.dir, sizeof(s->config.dir), "%s/archive", s->tree.path);
	snprintf(s->config.state_dir, sizeof(s->config.state_dir), "%s/state", s->tree.path);
	s->listener = (struct listener){ hear_line, &s->heard };
	s->node = (struct feed_node){ .config = &s->config, .host = "n1", .stop = &stop };
	s->node.sink.listener = &s->listener;
	sigemptyset(&s->node.usual);
	scratch = (struct scratch){ .sender = s };
	tree_put(&s->tree, "log/t.json", STR(""));
	run(s, "");
	append(s, "t.json", "1\n");
	run(s, "1 ");
}

/*
 * Compress a file as logrotate does. The file keeps its time, possibly truncated to whole seconds.
 */
static void compress_file(struct sender *s, const char *name, const char *suffix)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[300], packed[310];
	struct stat st;
	snprintf(path, sizeof(path), "log/%s", name);
	tree_get(&s->tree, path, &text);
	path_of(s, name, path, sizeof(path));
	snprintf(packed, sizeof(packed), "%s%s", path, suffix);
	assert_int_equal(stat(path, &st), 0);
#ifdef HAVE_ZSTD
	if (strcmp(suffix, ".zst") == 0) {
		char to[4096];
		size_t n = ZSTD_compress(to, sizeof(to), text.p, text.n, 1);
		assert_false(ZSTD_isError(n));
		snprintf(path, sizeof(path), "log/%s.zst", name);
		tree_put(&s->tree, path, (struct str){ to, n });
	}
#endif
#ifdef HAVE_ZLIB
	if (strcmp(suffix, ".gz") == 0) {
		gzFile f = gzopen(packed, "w");
		assert_int_equal(gzwrite(f, text.p, (unsigned)text.n), text.n);
		gzclose(f);
	}
#endif
	if (strcmp(suffix, ".xz") == 0) {
		snprintf(path, sizeof(path), "log/%s.xz", name);
		tree_put(&s->tree, path, STR("\xfd" "7zXZ"));
	}
	struct timespec then = { .tv_sec = st.st_mtime }, at[2] = { then, then };
	assert_int_equal(utimensat(AT_FDCWD, packed, at, 0), 0);
	drop(s, name);
}

TEST(reads_each_file_rotated_since_the_last_run)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	move(&s, "t.json", "t.json.3");
	append(&s, "t.json.2", "3\n");
	append(&s, "t.json.1", "4\n5\n");
	append(&s, "t.json", "6\n");
	assert_int_equal(waiting(&s), 5);
	run(&s, "2 3 4 5 6 ");
	assert_int_equal(waiting(&s), 0);
	assert_int_equal(s.cursor.lost_files, 0);
	assert_int_equal(s.heard.warnings, 0);
}

TEST(records_how_many_bytes_wait)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	move(&s, "t.json", "t.json.2");
	append(&s, "t.json.1", "3\n4\n");
	append(&s, "t.json", "5\n");
	run(&s, "2 ");
	/* bytes of lines 2 to 5, counted when the first file was opened */
	assert_int_equal(s.cursor.waiting, 8);
	run(&s, "3 4 ");
	assert_int_equal(s.cursor.waiting, 6);
}

TEST(orders_files_of_the_same_time_by_their_numbers)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	move(&s, "t.json", "t.json.12");
	set_age(&s, "t.json.12", 0);
	for (int i = 11; i > 0; i--) {
		char name[32], text[32];
		snprintf(name, sizeof(name), "t.json.%d", i);
		snprintf(text, sizeof(text), "%d\n", 100 - i);
		append_now(&s, name, text);
		set_age(&s, name, 0);
	}
	append_now(&s, "t.json", "100\n");
	run(&s, "89 90 91 92 93 94 95 96 97 98 99 100 ");
	assert_int_equal(waiting(&s), 0);
}

TEST(keeps_the_order_of_numbers_when_the_clock_was_set_back)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json.9", "0\n");
	set_age(&s, "t.json.9", 90000);
	move(&s, "t.json", "t.json.2");
	append(&s, "t.json.1", "2\n");
	set_age(&s, "t.json.1", 3600);
	append(&s, "t.json", "3\n");
	run(&s, "2 3 ");
	assert_int_equal(waiting(&s), 0);
}

TEST(reads_files_with_dates)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json-20260101", "0\n");
	set_age(&s, "t.json-20260101", 90000);
	move(&s, "t.json", "t.json-20260102");
	append_now(&s, "t.json-20260103", "2\n");
	append(&s, "t-20260104.json", "3\n");
	append(&s, "t.json", "4\n");
	append(&s, "t.json.state", "no lines\n");
	append(&s, "t.jsonl", "of another file\n");
	run(&s, "2 3 4 ");
	assert_int_equal(waiting(&s), 0);
}

static void compressed_files(const char *suffix)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	move(&s, "t.json", "t.json.3");
	append(&s, "t.json.2", "3\n4\n");
	append(&s, "t.json.1", "5\n");
	append(&s, "t.json", "6\n");
	compress_file(&s, "t.json.3", suffix);
	compress_file(&s, "t.json.2", suffix);
	assert_int_equal(waiting(&s), 5);
	run(&s, "2 3 ");	/* the sender stops inside a compressed file and continues there */
	run(&s, "4 5 6 ");
	assert_int_equal(waiting(&s), 0);
	assert_int_equal(s.cursor.lost_files, 0);
	assert_int_equal(s.heard.warnings, 0);
}

TEST(reads_gzip)
{
#ifndef HAVE_ZLIB
	skip();
#endif
	compressed_files(".gz");
}

TEST(reads_zstd)
{
#ifndef HAVE_ZSTD
	skip();
#endif
	compressed_files(".zst");
}

TEST(finds_its_file_among_files_with_the_same_first_line)
{
#ifdef HAVE_ZLIB
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	move(&s, "t.json", "t.json.2");
	append(&s, "t.json.1", "head\na\nb\n");
	append(&s, "t.json", "head\nc\nd\n");
	run(&s, "2 head a ");
	drop(&s, "t.json.2");
	move(&s, "t.json.1", "t.json.4");
	append(&s, "t.json.3", "head\ne\nf\n");
	compress_file(&s, "t.json.4", ".gz");
	assert_int_equal(waiting(&s), 7);
	assert_int_equal(s.heard.warnings, 0);
#else
	skip();
#endif
}

TEST(leaves_out_a_compressed_file_that_is_being_made)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	move(&s, "t.json", "t.json.2");
	append(&s, "t.json.1", "2\n");
	append(&s, "t.json.1.gz", "\x1f\x8b");
	append(&s, "t.json", "3\n");
	run(&s, "2 3 ");
	assert_int_equal(s.heard.warnings, 0);
}

TEST(counts_files_that_cannot_be_read)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	move(&s, "t.json", "t.json.4");
	append(&s, "t.json.3.xz", "\xfd" "7zXZ");
	/* the frame needs a window of 128 MB */
	append(&s, "t.json.2.zst", "\x28\xb5\x2f\xfd\x04\x88");
	append(&s, "t.json.1.gz", "\x1f\x8b no deflated data, and long enough to be read\n");
	append(&s, "t.json", "3\n");
	run(&s, "3 ");
	assert_int_equal(s.cursor.lost_files, 3);
#ifdef HAVE_ZLIB
	const char *why = "t.json.1.gz: the compressed data are damaged: its lines are lost";
#else
	const char *why = "t.json.1.gz: it is compressed, and nodometer was built without";
#endif
	assert_lines(&s.heard, 3, 0, why);
}

TEST(takes_windows_of_zstd_up_to_32_mb)
{
#ifdef HAVE_ZSTD
	/* RFC 8878: a window of 32 MB, and one raw block of two bytes */
	static const char window[] = "\x28\xb5\x2f\xfd\x00\x78" "\x11\x00\x00" "2\n";
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	move(&s, "t.json", "t.json.3");
	tree_put(&s.tree, "log/t.json.2.zst", (struct str){ window, sizeof(window) - 1 });
	append(&s, "t.json.1.zst", "\x28\xb5\x2f\xfd\xa0\x01\x01\x01\x04"); /* a segment of 64 MB */
	append(&s, "t.json", "3\n");
	run(&s, "2 3 ");
	assert_lines(&s.heard, 1, 0, "t.json.1.zst: decompression needs more than 32 MB of memory");
#else
	skip();
#endif
}

TEST(counts_its_missing_file_and_reads_the_others)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json.9", "0\n");
	set_age(&s, "t.json.9", 90000);
	append(&s, "t.json", "2\n");
	move(&s, "t.json", "t.json.3");
	append(&s, "t.json.2", "3\n");
	append(&s, "t.json.1", "4\n");
	append(&s, "t.json", "5\n");
	drop(&s, "t.json.3");
	run(&s, "3 4 5 ");
	assert_int_equal(s.cursor.lost_files, 1);
	assert_lines(&s.heard, 1, 0, "no longer exists under any name: lines after its");
}

static void rotate_away(struct sender *s)
{
	drop(s, "t.json.2");
}

TEST(counts_a_file_that_disappears_before_it_is_read)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	move(&s, "t.json", "t.json.3");
	append(&s, "t.json.2", "3\n");
	append(&s, "t.json.1", "4\n");
	append(&s, "t.json", "5\n");
	scratch.meanwhile = rotate_away;
	run(&s, "2 4 5 ");
	assert_int_equal(s.cursor.lost_files, 1);
	assert_lines(&s.heard, 1, 0, "t.json: a rotated file was removed before it was read: its "
		     "lines are lost to the sink");
}

static void rotate_twice(struct sender *s)
{
	append(s, "t.json", "3\n");
	move(s, "t.json", "t.json.2");
	append(s, "t.json.1", "4\n");
	append(s, "t.json", "5\n");
#ifdef HAVE_ZLIB
	compress_file(s, "t.json.2", ".gz");
#endif
}

TEST(continues_in_files_rotated_and_compressed_while_reading)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	scratch.meanwhile = rotate_twice;
	run(&s, "2 3 4 5 ");
	assert_int_equal(waiting(&s), 0);
	assert_int_equal(s.cursor.lost_files, 0);
	assert_int_equal(s.heard.warnings, 0);
}

static void rotate_and_pack(struct sender *s)
{
	move(s, "t.json", "t.json.1");
	append(s, "t.json", "3\n");
	compress_file(s, "t.json.1", ".xz");
}

TEST(recognises_its_file_in_an_unreadable_compression)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	scratch.meanwhile = rotate_and_pack;
	run(&s, "2 3 ");
	assert_int_equal(s.cursor.lost_files, 0);
	assert_int_equal(s.heard.warnings, 0);
}

static void rotate_away_twice(struct sender *s)
{
	move(s, "t.json", "t.json.2");
	append(s, "t.json.1", "3\n");
}

TEST(reads_a_rotated_file_before_the_next_one_exists)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n");
	scratch.meanwhile = rotate_away_twice;
	scratch.busy = true;
	run(&s, "2 3 ");
	assert_int_equal(s.cursor.lost_files, 0);
}

static void load_cursor(const struct sender *s, struct cursor *c, char *path, size_t size)
{
	snprintf(path, size, "%s/state/n1/lines", s->tree.path);
	assert_int_equal(cursor_load(c, path), 0);
}

/* When the log says "cannot open", load the saved cursor and make the file readable. */
static void hear_refusal(void *arg, enum log_level level, const char *line)
{
	struct sender *s = arg;
	char path[300];
	hear_line(&s->heard, level, line);
	if (!strstr(line, "cannot open"))
		return;
	load_cursor(s, &s->cursor, path, sizeof(path));
	s->refused = s->cursor;
	path_of(s, "t.json.1", path, sizeof(path));
	assert_int_equal(chmod(path, 0644), 0);
}

static void cannot_open_its_next_file(struct sender *s)
{
	char path[300];
	struct cursor c;
	sender_open(s);
	s->listener = (struct listener){ hear_refusal, s };
	load_cursor(s, &c, path, sizeof(path));
	c.usec -= 3600 * INT64_C(1000000);
	assert_int_equal(cursor_save(&c, path), 0);
	move(s, "t.json", "t.json.30");
	for (int i = 29; i > 1; i--) {
		snprintf(path, sizeof(path), "t.json.%d.xz", i);
		append_now(s, path, "\xfd" "7zXZ");
	}
	append(s, "t.json.1", "2\n");
	path_of(s, "t.json.1", path, sizeof(path));
	assert_int_equal(chmod(path, 0), 0);
	append(s, "t.json", "3\n");
	run(s, "2 3 ");
	assert_non_null(strstr(s->refused.why, "/t.json.1: Permission denied"));
	assert_non_null(strstr(s->refused.why, "cannot open /"));
	assert_int_equal(s->refused.errors, 1);
	assert_int_equal(s->refused.usec, c.usec);
	assert_string_equal(s->cursor.why, "");
	/* each lost file counts once, even if it is tried again */
	assert_int_equal(s->cursor.lost_files, 28);
}

TEST(reports_a_file_it_cannot_open_and_continues_once_it_can)
{
	struct sender s CLEANUP(sender_free);
	bool root = geteuid() == 0;
	assert_true(!root || seteuid(65534) == 0);
	cannot_open_its_next_file(&s);
	assert_true(!root || seteuid(0) == 0);
}

/*
 * The clock of file times is up to a tick behind the wall clock. If the cursor's time came from the
 * wall clock, files that are written in the rest of the tick would look older than the cursor.
 */
TEST(takes_the_times_of_its_cursor_from_the_clock_of_files)
{
	struct sender s CLEANUP(sender_free);
	struct stat st;
	char path[300];
	sender_open(&s);
	drop(&s, "t.json");
	append_now(&s, "t.json", "2\n");
	run(&s, "2 ");
	append_now(&s, "t.json.1", "3\n");
	path_of(&s, "t.json", path, sizeof(path));
	assert_int_equal(stat(path, &st), 0);
	path_of(&s, "t.json.1", path, sizeof(path));
	struct timespec at[2] = { st.st_mtim, st.st_mtim };	/* t.json.1 gets t.json's time */
	assert_int_equal(utimensat(AT_FDCWD, path, at, 0), 0);
	drop(&s, "t.json");	/* t.json.1 now has the time of the file that was read last */
	append_now(&s, "t.json", "4\n");
	run(&s, "3 4 ");
}

TEST(waits_for_a_first_file_and_reads_all_of_it)
{
	struct sender s CLEANUP(sender_free);
	char path[300];
	sender_open(&s);
	append(&s, "t.json.5", "0\n");
	drop(&s, "t.json");
	snprintf(path, sizeof(path), "%s/state/n1/lines", s.tree.path);
	assert_int_equal(unlink(path), 0);
	alarm(1);	/* SIGALRM ends the wait for a first file */
	scratch.most = 1;
	stop = 0;
	assert_int_equal(feed_run(&s.section, &s.node), 0);
	append_now(&s, "t.json.1", "2\n");
	append_now(&s, "t.json", "3\n");
	run(&s, "2 3 ");
	assert_int_equal(s.cursor.lost_files, 0);
}

TEST(continues_in_the_copy_of_a_truncated_file)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json.1", "1\n2\n");
	tree_put(&s.tree, "log/t.json", STR("3\n"));
	run(&s, "2 3 ");
	assert_int_equal(s.cursor.lost_files, 0);
}

TEST(keeps_a_line_that_was_not_put_when_the_sender_ended)
{
	struct sender s CLEANUP(sender_free);
	sender_open(&s);
	append(&s, "t.json", "2\n3\n4\n");
	scratch.fails = true;
	run(&s, "2 3 ");
	scratch.fails = false;
	run(&s, "4 ");
}

TEST(sends_lines_faster_than_records_by_default)
{
	struct section records = { .live = true }, lines = { .lines = "/x" };
	struct section runs = { .lines = "/x", .runs = true }, set = { .lines = "/x", .rate = 7 };
	assert_int_equal(section_rate(&records), 100);
	assert_int_equal(section_rate(&runs), 100);
	assert_int_equal(section_rate(&lines), 10000);
	assert_int_equal(section_rate(&set), 7);
}

TEST(reads_more_files_than_one_listing_keeps)
{
	struct sender s CLEANUP(sender_free);
	struct rotated list CLEANUP(rotated_free) = { 0 };
	sender_open(&s);
	move(&s, "t.json", "t.json-10000000");
	for (int i = 1; i <= ROTATED_MAX + 500; i++) {
		char name[32];
		snprintf(name, sizeof(name), "t.json-%d", 10000000 + i);
		append_now(&s, name, "2\n");
	}
	append_now(&s, "t.json", "3\n");
	assert_int_equal(rotated_list(s.section.lines, 0, &list), 0);
	assert_true(list.n < ROTATED_MAX && list.partial && list.file[list.n - 1].current);
	assert_non_null(strstr(list.file[0].path, "t.json-10000000"));
	assert_int_equal(waiting(&s), ROTATED_MAX + 500 + 1);
	assert_int_equal(s.heard.warnings, 0);
}

/*
 * A sender lists the folder for years, so a leak would use up all descriptors. A link could make it
 * deliver a file that the owner of the folder cannot read.
 */
TEST(listing_follows_no_link_and_leaves_no_descriptor_open)
{
	struct sender s CLEANUP(sender_free);
	char link[300];
	sender_open(&s);
	tree_put(&s.tree, "secret", STR("2\n"));
	path_of(&s, "t.json.1", link, sizeof(link));
	assert_int_equal(symlink("../secret", link), 0);
	append_now(&s, "t.json", "1\n");
	for (int i = 0; i < 3; i++) {
		struct rotated list CLEANUP(rotated_free) = { 0 };
		int before = dup(STDIN_FILENO);		/* the lowest free descriptor */
		close(before);
		assert_int_equal(rotated_list(s.section.lines, 0, &list), 0);
		int after = dup(STDIN_FILENO);
		close(after);
		assert_int_equal(after, before);
		assert_int_equal(list.n, 1);
	}
}

static void ends(int which)
{
	(void)which;
	stop = 1;
}

int main(void)
{
	signal(SIGALRM, ends);
	RUN(cmocka_unit_test(reads_each_file_rotated_since_the_last_run),
	    cmocka_unit_test(records_how_many_bytes_wait),
	    cmocka_unit_test(orders_files_of_the_same_time_by_their_numbers),
	    cmocka_unit_test(keeps_the_order_of_numbers_when_the_clock_was_set_back),
	    cmocka_unit_test(reads_files_with_dates),
	    cmocka_unit_test(reads_gzip),
	    cmocka_unit_test(reads_zstd),
	    cmocka_unit_test(finds_its_file_among_files_with_the_same_first_line),
	    cmocka_unit_test(leaves_out_a_compressed_file_that_is_being_made),
	    cmocka_unit_test(counts_files_that_cannot_be_read),
	    cmocka_unit_test(takes_windows_of_zstd_up_to_32_mb),
	    cmocka_unit_test(counts_its_missing_file_and_reads_the_others),
	    cmocka_unit_test(counts_a_file_that_disappears_before_it_is_read),
	    cmocka_unit_test(continues_in_files_rotated_and_compressed_while_reading),
	    cmocka_unit_test(recognises_its_file_in_an_unreadable_compression),
	    cmocka_unit_test(reads_a_rotated_file_before_the_next_one_exists),
	    cmocka_unit_test(reports_a_file_it_cannot_open_and_continues_once_it_can),
	    cmocka_unit_test(takes_the_times_of_its_cursor_from_the_clock_of_files),
	    cmocka_unit_test(waits_for_a_first_file_and_reads_all_of_it),
	    cmocka_unit_test(continues_in_the_copy_of_a_truncated_file),
	    cmocka_unit_test(keeps_a_line_that_was_not_put_when_the_sender_ended),
	    cmocka_unit_test(listing_follows_no_link_and_leaves_no_descriptor_open),
	    cmocka_unit_test(sends_lines_faster_than_records_by_default),
	    cmocka_unit_test(reads_more_files_than_one_listing_keeps));
}
