/* SPDX-License-Identifier: BSD-3-Clause */
/* test_archive.c - check which files of a folder belong to an archive */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/files.h"
#include "archive/input.h"

static const char *const folders[] = { "b.example.org", "a.example.org", "c", ".hidden", "123" };
static const char *const files[] = {
	"b.example.org/1790000000", "b.example.org/999999999.zst", "b.example.org/current",
	"b.example.org/lock", "b.example.org/1790000001.tmp", "b.example.org/x",
	"a.example.org/20.gz", "a.example.org/10.zst", "a.example.org/10", "a.example.org/-5",
	".hidden/5", "123/7", "notes.txt",
};

static void make(const char *dir)
{
	int at CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY);
	assert_true(at >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		assert_int_equal(mkdirat(at, folders[i], 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int fd CLEANUP(close_fd) = openat(at, files[i], O_CREAT | O_WRONLY, 0600);
		assert_true(fd >= 0);
	}
	assert_int_equal(mkdirat(at, "c/30", 0700), 0);
}

static void clear(const char *dir)
{
	int at CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlinkat(at, files[i], 0);
	unlinkat(at, "c/30", AT_REMOVEDIR);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		unlinkat(at, folders[i], AT_REMOVEDIR);
	assert_int_equal(rmdir(dir), 0);
}

static void expect(const char *dir, const char *sub, const char *expected)
{
	struct buf path = { 0 }, got = { 0 };
	struct archive_file *file;
	size_t n, skip = str_of(dir).n;

	buf_addf(&path, "%s%s", dir, sub);
	buf_add_char(&path, '\0');
	assert_int_equal(archive_list(path.p, &file, &n, NULL), 0);
	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%s %lld %s\n", file[i].host, (long long)file[i].epoch,
			 file[i].path + skip);
	buf_add_char(&got, '\0');
	assert_string_equal(got.p, expected);
	archive_list_free(file, n);
	buf_free(&path);
	buf_free(&got);
}

TEST(hosts_are_listed_by_name_and_files_by_epoch)
{
	char dir[] = "/tmp/test_archive.XXXXXX";
	assert_non_null(mkdtemp(dir));
	make(dir);
	expect(dir, "",
	       "123 7 /123/7\n"
	       "a.example.org 10 /a.example.org/10\n"
	       "a.example.org 20 /a.example.org/20.gz\n"
	       "b.example.org 999999999 /b.example.org/999999999.zst\n"
	       "b.example.org 1790000000 /b.example.org/1790000000\n");
	expect(dir, "/a.example.org",
	       "a.example.org 10 /a.example.org/10\n"
	       "a.example.org 20 /a.example.org/20.gz\n");
	expect(dir, "/c", "");
	clear(dir);
}

/*
 * Put files with these names and texts into one host's folder, and compare with `expected` the list
 * of files that are read.
 */
static void expect_copies(const char *const (*file)[2], size_t n, const char *expected)
{
	char dir[] = "/tmp/test_archive.XXXXXX";
	assert_non_null(mkdtemp(dir));
	int at CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < n; i++) {
		int fd CLEANUP(close_fd) = openat(at, file[i][0], O_CREAT | O_WRONLY, 0600);
		assert_int_equal(files_write(fd, str_of(file[i][1])), 0);
	}
	struct archive_file *got;
	size_t n_got;
	struct buf text CLEANUP(buf_free) = { 0 };
	assert_int_equal(archive_list(dir, &got, &n_got, NULL), 0);
	for (size_t i = 0; i < n_got; i++)
		buf_addf(&text, "%lld %s\n", (long long)got[i].epoch,
			 strrchr(got[i].path, '/') + 1);
	buf_add_char(&text, '\0');
	assert_string_equal(text.p, expected);
	archive_list_free(got, n_got);
	for (size_t i = 0; i < n; i++)
		unlinkat(at, file[i][0], 0);
	assert_int_equal(rmdir(dir), 0);
}

#define HEAD  "$hpcperfstats 1.0.2\n$hostname n1\n!vm pgpgin,E\n"
#define FIRST HEAD "\n20.5 -\nvm - 1\n"
#define MORE  FIRST "\n30 -\nvm - 2\n"
#define MOST  MORE "\n40 -\nvm - 3\n"

/* Compression is detected from the first bytes, so these plain files may be named .zst or .gz. */
TEST(longest_copy_of_a_file_is_used)
{
	static const char *const stale[][2] = { { "20", FIRST }, { "20.zst", MORE } };
	static const char *const fresh[][2] = { { "20", MORE }, { "20.zst", FIRST } };
	static const char *const three[][2] = { { "20", FIRST }, { "20.gz", MORE },
						{ "20.zst", MOST } };
	expect_copies(stale, 2, "20 20.zst\n");
	expect_copies(fresh, 2, "20 20\n");
	expect_copies(three, 3, "20 20.zst\n");
}

TEST(copy_of_current_counts_as_its_epoch_file)
{
	static const char *const same[][2] = { { "20", MORE }, { "current", MORE } };
	static const char *const after[][2] = { { "20", MOST }, { "current", MORE } };
	static const char *const ahead[][2] = { { "20", MORE }, { "current", MOST } };
	static const char *const alone[][2] = { { "10", FIRST }, { "current", MOST } };
	static const char *const other[][2] = { { "20", HEAD "\n20 -\nvm - 9\n" },
						{ "21", MORE }, { "current", MORE } };
	expect_copies(same, 2, "20 20\n");
	expect_copies(after, 2, "20 20\n");
	expect_copies(ahead, 2, "20 current\n");
	expect_copies(alone, 2, "10 10\n20 current\n");
	expect_copies(other, 3, "20 20\n21 21\n");
}

TEST(path_that_cannot_be_opened_is_an_error)
{
	struct archive_file *file;
	struct input *in;
	size_t n;
	assert_int_equal(archive_list("/nonexistent", &file, &n, NULL), -ENOENT);
	assert_int_equal(archive_list("/dev/null", &file, &n, NULL), -ENOTDIR);
	assert_int_equal(input_open("/nonexistent", &in), -ENOENT);
	assert_int_equal(input_open("/", &in), -EISDIR);
}

/*
 * The name of an archive file is its start in whole seconds. File 200 may start at 200.9 s, so file
 * 100 may have records until then.
 */
TEST(file_may_hold_records_up_to_the_second_of_the_next_one)
{
	struct archive_file file[] = {
		{ .host = "n1", .epoch = 100 }, { .host = "n1", .epoch = 200 },
		{ .host = "n2", .epoch = 50 },
	};
	const int64_t s = 1000000;
	assert_true(archive_may_hold(file, 3, 0, 200 * s + 900000, 300 * s));
	assert_false(archive_may_hold(file, 3, 0, 201 * s, 300 * s));
	assert_true(archive_may_hold(file, 3, 1, 900 * s, 901 * s));	/* the host's last file */
	assert_true(archive_may_hold(file, 3, 1, 0, 200 * s));
	assert_false(archive_may_hold(file, 3, 1, 0, 200 * s - 1));
	assert_true(archive_may_hold_near(file, 3, 0, 205 * s, 300 * s, 5 * s));
}

TEST(short_name_is_the_same_host_as_the_full_name)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "n1", "n1", true }, { "n1", "n1.example.org", true }, { "n1.x", "n1", true },
		{ "n1", "n10", false }, { "n10", "n1", false }, { "n1", "n1-ib.x", false },
		{ "n1.x", "n1.y", false }, { "n1.x", "n1.x.y", true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (archive_is_same_host(str_of(cases[i].a), str_of(cases[i].b)) != cases[i].same)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
}

TEST(file_is_read_up_to_its_limit_and_a_larger_one_refused)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char path[] = "/tmp/nodometer-text-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "n1\nn2\n", 6), 6);
	close(fd);
	assert_int_equal(input_read_all(path, 6, &b), 0);
	assert_true(str_eq(buf_str(&b), STR("n1\nn2\n")));
	b.n = 0;
	assert_int_equal(truncate(path, 100000), 0);
	assert_int_equal(input_read_all(path, 99999, &b), -EFBIG);
	unlink(path);
	assert_int_equal(input_read_all(path, 6, &b), -ENOENT);
}

int main(void)
{
	RUN(cmocka_unit_test(file_is_read_up_to_its_limit_and_a_larger_one_refused),
	    cmocka_unit_test(file_may_hold_records_up_to_the_second_of_the_next_one),
	    cmocka_unit_test(short_name_is_the_same_host_as_the_full_name),
	    cmocka_unit_test(hosts_are_listed_by_name_and_files_by_epoch),
	    cmocka_unit_test(longest_copy_of_a_file_is_used),
	    cmocka_unit_test(copy_of_current_counts_as_its_epoch_file),
	    cmocka_unit_test(path_that_cannot_be_opened_is_an_error));
}
