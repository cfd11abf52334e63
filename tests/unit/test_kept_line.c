/* SPDX-License-Identifier: BSD-3-Clause */
/* test_kept_line.c - read runs from a database exactly as they were written, or refuse them */
#include "report/jobs/stored_run.h"

#include <errno.h>
#include "tests/unit/test.h"

#define ROW STR("\0row\n\0")

static const struct listed_job job = {
	.id = "7", .user = "ann", .partition = "long", .end = { "0:9", "FAILED" }, .open = true,
	.first = 1700000000123456, .last = 1700000060000000, .samples = 24, .nodes_allocated = 2,
	.nodes = 2, .begun = 2, .ended = 1, .unread = 1,
};

/* Append a run as a database sends it. */
static void put_line(struct buf *b, const struct listed_job *j)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	stored_run_put(&one, j, ROW);
	buf_addf(b, "%zu ", one.n);
	buf_add(b, buf_str(&one));
}

TEST(run_is_read_as_it_was_written)
{
	static const char *const ids[] = { "7", "8" };
	struct buf whole CLEANUP(buf_free) = { 0 };
	struct stored_run got;
	for (int i = 0; i < 2; i++) {
		struct listed_job one = job;
		one.id = ids[i];
		put_line(&whole, &one);
	}
	struct str text = buf_str(&whole);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(stored_run_take(&text, &got), 1);
		assert_string_equal(got.job.id, ids[i]);
		assert_string_equal(got.job.user, "ann");
		assert_null(got.job.account);
		assert_string_equal(got.job.partition, "long");
		assert_null(got.job.name);
		assert_string_equal(got.job.end.exit, "0:9");
		assert_string_equal(got.job.end.state, "FAILED");
		assert_int_equal(got.job.first, job.first);
		assert_int_equal(got.job.last, job.last);
		assert_int_equal(got.job.samples, 24);
		assert_int_equal(got.job.nodes_allocated, 2);
		assert_int_equal(got.job.nodes, 2);
		assert_int_equal(got.job.begun, 2);
		assert_int_equal(got.job.ended, 1);
		assert_int_equal(got.job.unread, 1);
		assert_true(got.job.open);
		assert_int_equal(got.job.row, ROW_NONE);
		assert_true(str_eq(got.row, ROW));
	}
	assert_int_equal(stored_run_take(&text, &got), 0);
}

/*
 * Read all runs of a text, and compare "ID FIRST SAMPLES;" of each, then the last result, with
 * want.
 */
static void assert_taken(const struct buf *text, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str rest = buf_str(text);
	struct stored_run got;
	int r;
	while ((r = stored_run_take(&rest, &got)) > 0)
		buf_addf(&b, "%s %lld %llu;", got.job.id, (long long)got.job.first,
			 (unsigned long long)got.job.samples);
	buf_addf(&b, "%d%c", r, '\0');
	assert_string_equal(b.p, want);
}

TEST(copies_of_a_run_are_one_run_with_the_most_samples)
{
	static const struct {
		const char *id;
		int64_t first, last;
		uint64_t samples;
	} copies[] = {
		{ "1", 10, 90, 5 }, { "1", 20, 90, 4 }, { "1", 91, 99, 1 },
		{ "2", 92, 99, 2 }, { "2", 93, 99, 3 }, { "2", 99, 99, 3 }, { "3", 95, 99, 1 },
	};
	struct buf text CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		struct listed_job one = job;
		one.id = copies[i].id;
		one.first = copies[i].first;
		one.last = copies[i].last;
		one.samples = copies[i].samples;
		put_line(&text, &one);
	}
	assert_taken(&text, "1 10 5;1 91 1;2 93 3;3 95 1;0");
	buf_add(&text, STR("x"));
	assert_taken(&text, "1 10 5;1 91 1;2 93 3;3 95 1;-74");
}

TEST(truncated_run_is_refused)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	struct stored_run got;
	stored_run_put(&one, &job, STR(""));
	for (size_t n = 0; n < one.n; n++)
		assert_false(stored_run_parse((struct str){ one.p, n }, &got));
	assert_true(stored_run_parse(buf_str(&one), &got));
	assert_int_equal(got.row.n, 0);
}

TEST(malformed_run_is_refused)
{
	static const char *const wrong[] = {
		"7", "7 1234567", "x 12", "-1 x", "18446744073709551615 x", "3 abc",
		"30 nodokept1 2 1 1 1 1 1 1 1 1\n7\n",
	};
	struct stored_run got;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct str text = str_of(wrong[i]);
		assert_int_equal(stored_run_take(&text, &got), -EBADMSG);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(run_is_read_as_it_was_written),
	    cmocka_unit_test(copies_of_a_run_are_one_run_with_the_most_samples),
	    cmocka_unit_test(truncated_run_is_refused),
	    cmocka_unit_test(malformed_run_is_refused));
}
