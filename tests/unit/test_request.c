/* SPDX-License-Identifier: BSD-3-Clause */
/* test_request.c - write and read requests for marks as text, and the peak line of a header */
#include "tests/unit/recorder_node.h"

#include <errno.h>
#include "recorder/peaks.h"

TEST(marks_with_a_meaning_to_readers_are_refused)
{
	static const struct {
		const char *text;
		int r;
	} cases[] = {
		{ "phase 2", 0 }, { "beginning", 0 }, { "ended", 0 }, { "attribute x", 0 },
		{ "begin 7", -EINVAL }, { "begin", -EINVAL }, { "end", -EINVAL },
		{ "  end 7", -EINVAL }, { "attributes 7 a=1", -EINVAL }, { "", -EINVAL },
		{ "counters_restart", -EINVAL }, { "counters_anything", -EINVAL }, { " ", -EINVAL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct request q = { .what = REQUEST_MARK, .text = str_of(cases[i].text) };
		if (request_check(&q) != cases[i].r)
			fail_msg("\"%s\"", cases[i].text);
	}
}

TEST(request_of_a_job_needs_an_id_that_is_one_word)
{
	struct request q = { .what = REQUEST_BEGIN, .text = STR(" 7  user=ann ") };
	assert_int_equal(request_check(&q), 0);
	assert_text(q.id, STR("7"));
	assert_text(q.attributes, STR("user=ann"));
	static const char *const bad[] = { "", " ", "-", "%7", "7,8" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct request other = { .what = REQUEST_END, .text = str_of(bad[i]) };
		assert_int_equal(request_check(&other), -EINVAL);
	}
}

TEST(request_that_is_written_as_text_is_read_unchanged)
{
	static const struct request all[] = {
		{ .what = REQUEST_MARK, .source = JOB_FROM_HOOK, .text = STR("a b") },
		{ .what = REQUEST_BEGIN, .source = JOB_FROM_HOOK, .text = STR("7 user=ann") },
		{ .what = REQUEST_END, .source = JOB_FROM_FILE, .text = STR("7") },
		{ .what = REQUEST_BEGIN, .source = JOB_FROM_CGROUP, .text = STR("8") },
	};
	static const char *const bad[] = { "", "hook", "file ", "start 7", "Begin 7" };
	struct request got;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct buf text CLEANUP(buf_free) = { 0 };
		request_put(&all[i], &text);
		assert_true(request_take(buf_str(&text), &got));
		assert_int_equal(got.what, all[i].what);
		assert_int_equal(got.source, all[i].source);
		assert_text(got.text, all[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(request_take(str_of(bad[i]), &got));
}

/* A request of the largest size is kept, and a larger one leaves no file. */
TEST(request_that_is_too_large_for_the_spool_is_refused)
{
	static char text[SPOOL_MARK_MAX];
	struct tree t CLEANUP(tree_free);
	struct spool s CLEANUP(spool_close) = { .dirfd = -1, .lockfd = -1 };
	struct request q = { .what = REQUEST_MARK, .usec = 5 };
	char name[SPOOL_NAME_SIZE];
	tree_make(&t);
	memset(text, 'x', sizeof(text));
	assert_int_equal(spool_open(&s, t.path), 0);
	q.text = (struct str){ text, SPOOL_MARK_MAX - strlen("mark ") };
	assert_int_equal(request_leave(&s, &q, name), 0);
	q.text.n++;
	assert_int_equal(request_leave(&s, &q, name), -EMSGSIZE);
	assert_int_equal(spool_count(t.path), 1);
}

/* The owner of the folder can write anything into .peak. */
TEST(only_numbers_above_0_of_a_plain_file_become_the_peak)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "flops=5 bandwidth=6\n", "$peak flops=5 bandwidth=6\n" },
		{ "bandwidth=6\n", "$peak bandwidth=6\n" },
		{ "flops=0 bandwidth=6\n", "$peak bandwidth=6\n" },
		{ "flops=5x bandwidth=-1\n", "" },
		{ "\nflops=5\n", "" },
		{ "xflops=5 flops=7\nflops=8\n", "$peak flops=7\n" },
	};
	struct tree t CLEANUP(tree_free);
	struct files root = { .rootfd = -1 };
	char path[128];
	tree_make(&t);
	tree_put(&t, "root/x", STR(""));
	snprintf(path, sizeof(path), "%s/root", t.path);
	assert_int_equal(files_open_root(&root, path), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		tree_put(&t, "n1/.peak", str_of(cases[i].text));
		peaks_put_header(&b, &root, t.path, "n1", i % 2);
		/* on a busy machine, a bounded read may take longer than its time limit */
		for (int n = 0; n < 100 && b.n == 0 && cases[i].want[0]; n++)
			peaks_put_header(&b, &root, t.path, "n1", i % 2);
		assert_text(buf_str(&b), str_of(cases[i].want));
	}
	tree_put(&t, "n1/.peak", STR("flops=5\n"));
	assert_int_equal(renameat(t.fd, "n1/.peak", t.fd, "n1/other"), 0);
	assert_int_equal(symlinkat("other", t.fd, "n1/.peak"), 0);
	struct buf b CLEANUP(buf_free) = { 0 };
	peaks_put_header(&b, &root, t.path, "n1", false);
	assert_text(buf_str(&b), STR(""));
	files_free(&root);
}

int main(void)
{
	RUN(cmocka_unit_test(marks_with_a_meaning_to_readers_are_refused),
	    cmocka_unit_test(request_of_a_job_needs_an_id_that_is_one_word),
	    cmocka_unit_test(request_that_is_written_as_text_is_read_unchanged),
	    cmocka_unit_test(request_that_is_too_large_for_the_spool_is_refused),
	    cmocka_unit_test(only_numbers_above_0_of_a_plain_file_become_the_peak));
}
