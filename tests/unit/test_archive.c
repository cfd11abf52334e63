/* SPDX-License-Identifier: BSD-3-Clause */
/* test_archive.c - which files of a folder are an archive's */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/files.h"
#include "report/input.h"

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
	assert_int_equal(archive_list(path.p, &file, &n), 0);
	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%s %lld %s\n", file[i].host, (long long)file[i].epoch,
			 file[i].path + skip);
	buf_add_char(&got, '\0');
	assert_string_equal(got.p, expected);
	archive_list_free(file, n);
	buf_free(&path);
	buf_free(&got);
}

TEST(hosts_come_in_order_and_their_files_by_epoch)
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

TEST(what_cannot_be_opened_is_an_error)
{
	struct archive_file *file;
	struct input *in;
	size_t n;
	assert_int_equal(archive_list("/nonexistent", &file, &n), -ENOENT);
	assert_int_equal(archive_list("/dev/null", &file, &n), -ENOTDIR);
	assert_int_equal(input_open("/nonexistent", &in), -ENOENT);
	assert_int_equal(input_open("/", &in), -EISDIR);
}

int main(void)
{
	RUN(cmocka_unit_test(hosts_come_in_order_and_their_files_by_epoch),
	    cmocka_unit_test(what_cannot_be_opened_is_an_error));
}
