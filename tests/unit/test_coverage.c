/* SPDX-License-Identifier: BSD-3-Clause */
/* test_coverage.c - decide which jobs are read from stored runs, and which from their records */
#include "fetch/coverage.h"
#include "fetch/queries.h"

#include <errno.h>
#include "tests/unit/test.h"

#define S 1000000LL

static const struct answer_request all = {
	.rows = true, .since = INT64_MIN, .until = INT64_MAX, .what = ANSWER_STORED,
};

static void run(struct coverage *c, const char *job, int64_t first, int64_t last)
{
	assert_int_equal(coverage_add_run(c, str_of(job), first * S, last * S), 0);
}

static void day(struct coverage *c, const char *job, const char *host, int64_t first, int64_t last)
{
	assert_int_equal(coverage_add_day(c, str_of(job), str_of(host), first * S, last * S), 0);
}

static void assert_day(const struct coverage *c, size_t i, const char *host, int64_t first)
{
	assert_true(i < c->n_days);
	assert_string_equal(c->day[i].host, host);
	assert_int_equal(c->day[i].first, first * S);
}

TEST(job_whose_days_are_in_its_runs_is_not_read)
{
	struct coverage c CLEANUP(coverage_free) = { .q = &all };
	run(&c, "7", 100, 200);
	run(&c, "7", 500, 600);
	day(&c, "7", "n1", 100, 150);
	day(&c, "7", "n1", 151, 200);
	day(&c, "7", "n2", 500, 600);
	coverage_end(&c);
	assert_int_equal(c.n_days, 0);
	assert_false(coverage_is_stale(&c, STR("7")));
}

TEST(job_that_went_on_is_read_with_all_its_days)
{
	struct coverage c CLEANUP(coverage_free) = { .q = &all };
	run(&c, "10", 100, 200);
	run(&c, "7", 100, 200);
	run(&c, "8", 100, 200);
	day(&c, "10", "n2", 100, 200);
	day(&c, "7", "n2", 100, 150);
	day(&c, "7", "n1", 100, 150);
	day(&c, "7", "n1", 300, 400);
	day(&c, "8", "n1", 100, 200);
	coverage_end(&c);
	assert_int_equal(c.n_days, 3);
	assert_day(&c, 0, "n1", 100);
	assert_day(&c, 1, "n1", 300);
	assert_day(&c, 2, "n2", 100);
	assert_true(coverage_is_stale(&c, STR("7")));
	assert_false(coverage_is_stale(&c, STR("8")));
	assert_false(coverage_is_stale(&c, STR("10")));
}

TEST(a_run_that_covers_only_the_last_day_is_stale)
{
	struct coverage c CLEANUP(coverage_free) = { .q = &all };
	run(&c, "7", 300, 400);
	run(&c, "8", 300, 400);
	day(&c, "7", "n1", 100, 200);
	day(&c, "7", "n1", 300, 400);
	day(&c, "8", "n1", 300, 400);
	coverage_end(&c);
	assert_true(coverage_is_stale(&c, STR("7")));
	assert_false(coverage_is_stale(&c, STR("8")));
	assert_int_equal(c.n_days, 2);
}

TEST(job_without_a_run_is_read_if_it_was_in_the_time)
{
	const struct answer_request late = { .rows = true, .since = 1000 * S, .until = 2000 * S };
	struct coverage c CLEANUP(coverage_free) = { .q = &late };
	day(&c, "early", "n1", 100, 999);
	day(&c, "from", "n1", 500, 900);
	day(&c, "from", "n1", 901, 1000);
	day(&c, "late", "n1", 2001, 2100);
	coverage_end(&c);
	assert_int_equal(c.n_days, 2);
	assert_day(&c, 0, "n1", 500);
	assert_true(coverage_is_stale(&c, STR("from")));
	assert_false(coverage_is_stale(&c, STR("early")));
	assert_false(coverage_is_stale(&c, STR("late")));
}

TEST(run_of_another_job_covers_nothing)
{
	struct coverage c CLEANUP(coverage_free) = { .q = &all };
	run(&c, "7", 100, 200);
	run(&c, "8", 300, 400);
	day(&c, "7", "n1", 300, 400);
	day(&c, "8", "n1", 300, 400);
	coverage_end(&c);
	assert_true(coverage_is_stale(&c, STR("7")));
	assert_false(coverage_is_stale(&c, STR("8")));
	assert_int_equal(c.n_days, 1);
}

TEST(unsorted_rows_are_refused)
{
	struct coverage c CLEANUP(coverage_free) = { .q = &all };
	run(&c, "b", 1, 2);
	assert_int_equal(coverage_add_run(&c, STR("a"), S, 2 * S), -EBADMSG);
	day(&c, "b", "n1", 1, 2);
	assert_int_equal(coverage_add_day(&c, STR("a"), STR("n1"), S, 2 * S), -EBADMSG);
	assert_int_equal(coverage_add_day(&c, STR("b"), STR("n1"), 2 * S, S), -EBADMSG);
	assert_int_equal(coverage_add_day(&c, STR("b"), STR("n1"), -1, S), -EBADMSG);
}

TEST(job_id_cannot_leave_its_quotes)
{
	const struct answer_request q = { .rows = true, .since = INT64_MIN, .until = INT64_MAX,
					  .job = STR("x' OR '1"), .what = ANSWER_STORED };
	struct buf b CLEANUP(buf_free) = { 0 };
	query_put_runs(&b, &q, 0, true);
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "formula = 'x\\' OR \\'1' ORDER BY"));
}

/*
 * A stored run covers the records of a day that begin and end at most 1 s outside its time, because
 * the database rounds times to floating-point numbers.
 */
TEST(a_run_covers_a_day_up_to_a_second_beside_it)
{
	static const struct {
		int64_t first, last;
		bool stale;
	} days[] = {
		{ 99 * S, 201 * S, false }, { 99 * S - 1, 200 * S, true },
		{ 100 * S, 201 * S + 1, true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(days); i++) {
		struct coverage c CLEANUP(coverage_free) = { .q = &all };
		run(&c, "7", 100, 200);
		assert_int_equal(coverage_add_day(&c, STR("7"), STR("n1"), days[i].first,
						  days[i].last), 0);
		coverage_end(&c);
		assert_int_equal(coverage_is_stale(&c, STR("7")), days[i].stale);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(a_run_covers_a_day_up_to_a_second_beside_it),
	    cmocka_unit_test(job_whose_days_are_in_its_runs_is_not_read),
	    cmocka_unit_test(job_that_went_on_is_read_with_all_its_days),
	    cmocka_unit_test(a_run_that_covers_only_the_last_day_is_stale),
	    cmocka_unit_test(job_without_a_run_is_read_if_it_was_in_the_time),
	    cmocka_unit_test(run_of_another_job_covers_nothing),
	    cmocka_unit_test(unsorted_rows_are_refused),
	    cmocka_unit_test(job_id_cannot_leave_its_quotes));
}
