/* SPDX-License-Identifier: BSD-3-Clause */
/* test_budget.c - some CPU time at once, and a part of all time in the long run */
#include "base/budget.h"
#include "tests/unit/test.h"

#define MS INT64_C(1000000)

/* The ends of jobs: 100 ms at once, then a fiftieth. */
static int64_t spend(struct budget *b, int64_t now_ms, int64_t cost_ms)
{
	return budget_spend(b, now_ms * MS, cost_ms * MS, 100 * MS, 50) / MS;
}

TEST(ends_of_jobs_beside_each_other_rest_through_none)
{
	struct budget b = { 0 };
	for (int i = 0; i < 20; i++)
		assert_int_equal(spend(&b, 1000000 + i, 5), 0);
	assert_int_equal(spend(&b, 1000050, 5), 4 * 50);
}

TEST(the_passing_of_time_gives_back_a_part)
{
	struct budget b = { 0 };
	assert_int_equal(spend(&b, 1000000, 110), 500);
	assert_int_equal(spend(&b, 1000500, 0), 0);
	assert_int_equal(spend(&b, 1000500, 1), 50);
	/* the budget never exceeds its maximum */
	assert_int_equal(spend(&b, 1000000 + 60000, 100), 0);
	assert_int_equal(spend(&b, 1000000 + 60000, 1), 50);
}

TEST(in_the_long_run_no_more_than_the_part_is_spent)
{
	struct budget b = { 0 };
	int64_t now = 1000000, spent = 0;
	for (int i = 0; i < 1000; i++) {
		spent += 3;
		now += 3 + spend(&b, now, 3);
	}
	assert_in_range(spent, (now - 1000000) / 50, (now - 1000000) / 50 + 103);
}

int main(void)
{
	RUN(cmocka_unit_test(ends_of_jobs_beside_each_other_rest_through_none),
	    cmocka_unit_test(the_passing_of_time_gives_back_a_part),
	    cmocka_unit_test(in_the_long_run_no_more_than_the_part_is_spent));
}
