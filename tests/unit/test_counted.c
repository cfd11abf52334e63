/* SPDX-License-Identifier: BSD-3-Clause */
/* test_counted.c - compute derived figures between two samples, or report them as unknown */
#include "tests/unit/test.h"

#include <string.h>
#include "base/base.h"
#include "figures/counted.h"

static const struct derived ipc = {
	.id = "", .over = { { Q_INSTRUCTIONS, 1 } }, .under = { { Q_CYCLES, 1 } },
}, bytes = {
	.id = "", .over = { { Q_DRAM_READ, 64 }, { Q_DRAM_WRITTEN, 64 } }, .scale = .5,
}, cpus = {
	.id = "", .over = { { Q_USER, 1 } },
};

/* Fill the quantities of an interval from second 10 to second 20. */
static void fill(struct counted all[N_QUANTITIES])
{
	const struct counted one = { true, false, 10000000, 20000000, 0 };
	memset(all, 0, N_QUANTITIES * sizeof(*all));
	all[Q_INSTRUCTIONS] = all[Q_CYCLES] = all[Q_DRAM_READ] = all[Q_DRAM_WRITTEN] = one;
	all[Q_INSTRUCTIONS].n = 300;
	all[Q_CYCLES].n = 100;
	all[Q_DRAM_READ].n = 20;
	all[Q_DRAM_WRITTEN].n = 5;
}

static bool known(const struct counted all[N_QUANTITIES], const struct derived *d, double want)
{
	double value = -1;
	int64_t from = 0, to = 0;
	if (!counted_derived(all, d, &value, &from, &to))
		return false;
	assert_true(value > want - 1e-9 && value < want + 1e-9);
	assert_int_equal(from, 10000000);
	assert_int_equal(to, 20000000);
	return true;
}

TEST(rate_is_the_weighted_sum_over_the_seconds_or_over_another_sum)
{
	struct counted all[N_QUANTITIES];
	fill(all);
	assert_true(known(all, &ipc, 3));
	assert_true(known(all, &bytes, .5 * 64 * 25 / 10));
	all[Q_DRAM_WRITTEN] = (struct counted){ .any = false };	/* the node has no such counter */
	assert_true(known(all, &bytes, .5 * 64 * 20 / 10));
}

TEST(rate_is_unknown_if_a_part_is_broken_or_covers_another_time)
{
	struct counted all[N_QUANTITIES];
	fill(all);
	all[Q_DRAM_WRITTEN].broken = true;
	assert_false(known(all, &bytes, 0));
	fill(all);
	all[Q_DRAM_WRITTEN].to++;
	assert_false(known(all, &bytes, 0));
	fill(all);
	all[Q_CYCLES].from++;
	assert_false(known(all, &ipc, 0));
	fill(all);
	all[Q_CYCLES].n = 0;
	assert_false(known(all, &ipc, 0));
	fill(all);
	all[Q_DRAM_READ].to = all[Q_DRAM_WRITTEN].to = 10000000;
	assert_false(known(all, &bytes, 0));
	memset(all, 0, sizeof(all));
	assert_false(known(all, &bytes, 0));
}

/*
 * The kernel multiplexes hardware counters: a counter that waits for its turn does not count. Rates
 * are known if the counters waited up to 1 % of the time.
 */
TEST(rates_of_multiplexed_counters_are_unknown)
{
	struct counted all[N_QUANTITIES];
	fill(all);
	all[Q_RUNNING].n = 100;
	all[Q_ENABLED].n = 100.9;
	assert_true(known(all, &ipc, 3));
	all[Q_ENABLED].n = 101.1;
	assert_false(known(all, &ipc, 0));
	assert_false(known(all, &bytes, 0));
	all[Q_USER] = all[Q_CYCLES];
	assert_true(known(all, &cpus, 10));	/* CPU time does not come from hardware counters */
}

int main(void)
{
	RUN(cmocka_unit_test(rate_is_the_weighted_sum_over_the_seconds_or_over_another_sum),
	    cmocka_unit_test(rate_is_unknown_if_a_part_is_broken_or_covers_another_time),
	    cmocka_unit_test(rates_of_multiplexed_counters_are_unknown));
}
