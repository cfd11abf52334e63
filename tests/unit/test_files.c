/* SPDX-License-Identifier: BSD-3-Clause */
/* test_files.c - files below a root: read whole, again and again, and never waited for */
#include "tests/unit/tree.h"

#include <string.h>

static void open_root(struct files *f, const struct tree *t)
{
	assert_int_equal(files_open_root(f, t->path), 0);
}

TEST(files_of_any_size_are_read_whole)
{
	static const size_t sizes[] = { 0, 1, 511, 3071, 3072, 4095, 4096, 4097, 8192, 100000 };
	static const enum file_read hows[] = { FILE_RECORDS, FILE_TO_END };
	for (size_t i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(hows); i++) {
		size_t size = sizes[i / ARRAY_SIZE(hows)];
		struct tree t CLEANUP(tree_free);
		struct files f CLEANUP(files_free);
		struct buf b CLEANUP(buf_free) = { 0 }, got CLEANUP(buf_free) = { 0 };
		struct str text;
		tree_make(&t);
		while (b.n < size)
			buf_add_u64(&b, b.n);
		b.n = size;
		tree_put(&t, "a/b", buf_str(&b));
		tree_put(&t, "proc/sys/kernel/x", buf_str(&b));
		open_root(&f, &t);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(files_read(&f, "a/b", hows[i % 2], &got, &text), 0);
			assert_text(text, buf_str(&b));
			assert_int_equal(files_read(&f, "proc/sys/kernel/x", FILE_TO_END, &got,
						    &text), 0);
			assert_text(text, buf_str(&b));
		}
	}
}

TEST(a_file_is_opened_once)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	tree_put(&t, "a", STR("1"));
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_int_equal(unlinkat(t.fd, "a", 0), 0);
	tree_put(&t, "a", STR("2"));
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("1"));
	files_forget(&f, "a");
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("2"));
	assert_int_equal(f.n, 1);
}

TEST(a_file_that_is_missing_is_tried_again_only_on_demand)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), -ENOENT);
	tree_put(&t, "a", STR("1"));
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), -ENOENT);
	f.again = true;
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
}

TEST(one_that_cannot_be_read_is_opened_anew)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	assert_int_equal(mkdirat(t.fd, "a", 0755), 0);
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), -EISDIR);
	assert_int_equal(unlinkat(t.fd, "a", AT_REMOVEDIR), 0);
	tree_put(&t, "a", STR("1"));
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("1"));
}

TEST(a_fifo_is_not_waited_for)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	assert_int_equal(mkfifoat(t.fd, "a", 0600), 0);
	open_root(&f, &t);
	assert_true(files_read(&f, "a", FILE_RECORDS, &b, &text) <= 0);
}

TEST(links_of_a_captured_tree_stay_in_it)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	tree_put(&t, "etc/hostname", STR("captured"));
	assert_int_equal(symlinkat("/etc/hostname", t.fd, "absolute"), 0);
	assert_int_equal(symlinkat("../../../../etc/hostname", t.fd, "dots"), 0);
	assert_int_equal(symlinkat("/etc/passwd", t.fd, "outside"), 0);
	assert_int_equal(symlinkat("loop", t.fd, "loop"), 0);
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "absolute", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("captured"));
	assert_int_equal(files_read(&f, "dots", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("captured"));
	assert_int_equal(files_read(&f, "outside", FILE_RECORDS, &b, &text), -ENOENT);
	assert_int_equal(files_read(&f, "loop", FILE_RECORDS, &b, &text), -ELOOP);
}

TEST(a_file_without_end_is_refused)
{
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	assert_int_equal(files_open_root(&f, "/"), 0);
	assert_int_equal(files_read(&f, "dev/zero", FILE_TO_END, &b, &text), -EFBIG);
	assert_true(b.cap <= 4 * (size_t)FILE_BYTES_MAX);
}

TEST(a_root_that_is_no_folder_is_an_error)
{
	struct files f = { .rootfd = -1 };
	assert_int_equal(files_open_root(&f, "/nonexistent"), -ENOENT);
	assert_int_equal(files_open_root(&f, "/dev/null"), -ENOTDIR);
	assert_int_equal(f.rootfd, -1);
}

int main(void)
{
	RUN(cmocka_unit_test(files_of_any_size_are_read_whole),
	    cmocka_unit_test(a_file_is_opened_once),
	    cmocka_unit_test(a_file_that_is_missing_is_tried_again_only_on_demand),
	    cmocka_unit_test(one_that_cannot_be_read_is_opened_anew),
	    cmocka_unit_test(a_fifo_is_not_waited_for),
	    cmocka_unit_test(links_of_a_captured_tree_stay_in_it),
	    cmocka_unit_test(a_file_without_end_is_refused),
	    cmocka_unit_test(a_root_that_is_no_folder_is_an_error));
}
