/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tail.c - find the end of the last whole record group of a file */
#include "tests/unit/tree.h"

#include <string.h>
#include "archive/tail.h"

#define COST(rows) "nodometer - 5 6 " rows " 0 0\n"
#define WHOLE "\n10 -\ncpu 0 1\n" COST("2")

TEST(a_group_is_whole_if_its_last_row_counts_its_rows)
{
	static const struct {
		const char *group;
		bool want;
	} cases[] = {
		{ "10 -\ncpu 0 1\n" COST("2"), true },
		{ "10 -\n" COST("1"), true },
		{ "10 7,8 host\n%begin 8\n%a mark\ncpu 0 1\ncpu 1 1\n" COST("3"), true },
		{ "10 -\n%nodometer - 1 2 3\n" COST("1"), true },
		{ "10 -\nnodometer cpu 1 2 3 0 0\n" COST("2"), true },
		{ "10 -\n$note x\n!vm a\n" COST("1"), true },
		{ "10 -\ncpu 0 1\n" COST("3"), false },
		{ "10 -\ncpu 0 1\n" COST("1"), false },
		{ "10 -\n" COST("1") "cpu 0 1\n", false },
		{ "10 -\nnodometer cpu 1 2 1 0 0\n", false },
		/* the last row has too few values */
		{ "10 -\nnodometer - 5 6 1\n", false },
		{ "10 -\nnodometer - 5 6\n", false },
		{ "10 -\nnodometer - 5 6 99999999999999999999 0 0\n", false },
		{ "10 -\nnodometer - 5 6 -1 0 0\n", false },
		{ "10 -\nnodometer - 5 6 1 0 0", false },	/* the last row has no newline */
		{ "10 -\n%begin 8\n", false },
		{ "10 -\n", false },
		{ COST("0"), false },
		{ "\n", false },
		{ "", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(tail_group_is_whole(str_of(cases[i].group)), cases[i].want);
}

static off_t whole(struct str text, int64_t *last_us)
{
	struct tree t CLEANUP(tree_free);
	off_t ret = -1;
	tree_make(&t);
	tree_put(&t, "f", text);
	int fd CLEANUP(close_fd) = openat(t.fd, "f", O_RDONLY);
	assert_int_equal(tail_find_whole(fd, (off_t)text.n, &ret, last_us), 0);
	return ret;
}

TEST(all_text_after_the_last_whole_group_is_torn)
{
	static const struct {
		struct str whole, torn;
	} cases[] = {
		{ STR("!cpu a\n" WHOLE), STR("") },
		{ STR("!cpu a\n" WHOLE), STR("\n") },
		{ STR("!cpu a\n" WHOLE), STR("\n11 -") },
		{ STR("!cpu a\n" WHOLE), STR("\n11 -\n%begin 7\n") },
		{ STR("!cpu a\n" WHOLE), STR("\n11 -\ncpu 0 1\n") },
		{ STR("!cpu a\n" WHOLE), STR("\n$hpcperfstats 1.0.2\n!vm a\n") },
		{ STR("!cpu a\n" WHOLE "\n$x y\n!vm a\n" WHOLE), STR("") },
		{ STR("!cpu a\n" WHOLE "\n$x y\n!vm a\n" WHOLE), STR("\n12 -\n") },
		{ STR("!cpu a\n" WHOLE), STR("\0\0\0\0\0\0") },
		{ STR("!cpu a\n" WHOLE), STR("\n11 -\ncpu 0 1\0\0\0\0") },
		{ STR("!cpu a\n" WHOLE), STR("\n11 -\ncpu \0\0\0\n") },
		/* the last row is cut in the middle */
		{ STR("!cpu a\n" WHOLE), STR("cpu 1") },
		{ STR("!cpu a\n" WHOLE), STR("cpu 1 2\n") },
		/* the record group has only its last row */
		{ STR("!cpu a\n" WHOLE), STR(COST("2")) },
		{ STR("!cpu a\n" WHOLE), STR("\n\n\nx\n\n5\n\n") },
		{ STR("!cpu a\n" WHOLE), STR("x\n\n11 -\ncpu 0 1\n") },
		{ STR("!cpu a\n" WHOLE), STR("x\n\n!vm a\n" COST("1")) },
		/* these records are not nodometer's */
		{ STR("!cpu a\n\n11 -\ncpu 0 1\n"), STR("\n12 -\ncpu") },
		{ STR("!cpu a\n"),       STR("\n11 -\n") },
		{ STR(""), STR("!cpu a\n") },
		{ STR(""), STR("\0\0\0") },
		{ STR(""), STR("") },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		buf_add(&b, cases[i].whole);
		int64_t last_us;
		buf_add(&b, cases[i].torn);
		assert_int_equal(whole(buf_str(&b), &last_us), cases[i].whole.n);
		assert_int_equal(last_us, str_ends(cases[i].whole, STR(WHOLE)) ? 10000000 : 0);
	}
}

static void add_large_group(struct buf *b, int rows)
{
	buf_add(b, STR("\n11 -\n"));
	for (int i = 1; i < rows; i++)
		buf_addf(b, "proc some-process/%06d 123456789 123456789 123456789\n", i);
	buf_addf(b, "nodometer - 5 6 %d 0 0\n", rows);
}

TEST(groups_may_be_larger_than_the_first_read)
{
	static const int rows[] = { 1000, 1300, 5000, 20000 };	/* record groups of 52 KB to 1 MB */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		buf_add(&b, STR("!proc a b c\n" WHOLE));
		size_t before = b.n;
		int64_t last_us;
		add_large_group(&b, rows[i]);
		assert_int_equal(whole(buf_str(&b), &last_us), b.n);
		b.n--;
		assert_int_equal(whole(buf_str(&b), &last_us), before);
		b.n = before + 1;
		assert_int_equal(whole(buf_str(&b), &last_us), before);
	}
}

TEST(a_file_that_shrinks_while_it_is_read_is_an_error)
{
	struct tree t CLEANUP(tree_free);
	off_t ret = -1;
	int64_t last_us;
	tree_make(&t);
	tree_put(&t, "f", STR(WHOLE));
	int fd CLEANUP(close_fd) = openat(t.fd, "f", O_RDONLY);
	assert_int_equal(tail_find_whole(fd, sizeof(WHOLE) + 10, &ret, &last_us), -EIO);
	assert_int_equal(tail_find_whole(t.fd, 10, &ret, &last_us), -EISDIR);
	assert_int_equal(ret, -1);
}

int main(void)
{
	RUN(cmocka_unit_test(a_group_is_whole_if_its_last_row_counts_its_rows),
	    cmocka_unit_test(all_text_after_the_last_whole_group_is_torn),
	    cmocka_unit_test(groups_may_be_larger_than_the_first_read),
	    cmocka_unit_test(a_file_that_shrinks_while_it_is_read_is_an_error));
}
