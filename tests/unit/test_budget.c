/* SPDX-License-Identifier: BSD-3-Clause */
/* test_budget.c - allow a burst of CPU time, and a share of elapsed time in the long run */
#include "base/budget.h"
#include "tests/unit/test.h"

#define MS INT64_C(1000000)

/*
 * Charge cost_ms of CPU time to a budget of 100 ms at once and 1/50 of the elapsed time. Returns
 * how long the caller must pause, in ms.
 */
static int64_t spend(struct budget *b, int64_t now_ms, int64_t cost_ms)
{
	return budget_spend(b, now_ms * MS, cost_ms * MS, 100 * MS, 50) / MS;
}

TEST(simultaneous_ends_of_jobs_need_no_pause)
{
	struct budget b = { 0 };
	for (int i = 0; i < 20; i++)
		assert_int_equal(spend(&b, 1000000 + i, 5), 0);
	assert_int_equal(spend(&b, 1000050, 5), 4 * 50);
}

TEST(elapsed_time_refills_the_budget)
{
	struct budget b = { 0 };
	assert_int_equal(spend(&b, 1000000, 110), 500);
	assert_int_equal(spend(&b, 1000500, 0), 0);
	assert_int_equal(spend(&b, 1000500, 1), 50);
	/* the budget never grows above its maximum */
	assert_int_equal(spend(&b, 1000000 + 60000, 100), 0);
	assert_int_equal(spend(&b, 1000000 + 60000, 1), 50);
}

TEST(only_the_share_is_spent_in_the_long_run)
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
	RUN(cmocka_unit_test(simultaneous_ends_of_jobs_need_no_pause),
	    cmocka_unit_test(elapsed_time_refills_the_budget),
	    cmocka_unit_test(only_the_share_is_spent_in_the_long_run));
}
