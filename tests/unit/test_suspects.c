/* SPDX-License-Identifier: BSD-3-Clause */
/* test_suspects.c - find nodes that were slow more often than chance explains */
#include "tests/unit/test.h"

#include <stdlib.h>
#include "base/base.h"
#include "report/jobs/suspects.h"

enum { CLOCK = 0, MEMORY = 5 };	/* slow_measures[CLOCK].of_work is false, [MEMORY] true */

/* The runs in which the node was slow. */
static struct suspect_time times[8];

/*
 * Make a node that was slow in n of 100 runs by measure m, at a new position each time or, if
 * `same` is true, always at one position.
 */
static struct suspect_node slow_node(const char *name, size_t m, uint32_t n, bool same)
{
	struct suspect_node node = { .name = (char *)(uintptr_t)name };
	for (uint32_t i = 0; i < ARRAY_SIZE(times); i++)
		times[i] = (struct suspect_time){ 1000 - 10 * i, 2000 - 10 * i, same ? 7 : i,
						  (float)(i * 7 % 5) };
	node.of[m] = (struct suspect_times){ .compared = 100, .n = n, .time = times };
	return node;
}

/* Return the number of suspects if other nodes were slow in `others` of 100 runs. */
static size_t find(struct suspect_node *node, size_t m, uint32_t others, struct suspect *first)
{
	struct suspects s = { .node = node, .n = 1 };
	struct suspect *all = NULL;
	s.compared[m] = node->of[m].compared + 100;
	s.slow[m] = node->of[m].n + others;
	size_t n = suspects_find(&s, &all);
	if (n && first)
		*first = all[0];
	free(all);
	return n;
}

/*
 * If a node is slow in 1 of 1,000 runs by chance, 3 slow runs of 100 have a chance of 1 in 7,000,
 * and 4 have a chance of 1 in 270,000.
 */
TEST(a_suspect_was_slow_more_often_than_once_in_100000_by_chance)
{
	struct suspect_node three = slow_node("n1", CLOCK, 3, false);
	assert_int_equal(find(&three, CLOCK, 0, NULL), 0);
	struct suspect_node four = slow_node("n1", CLOCK, 4, false);
	assert_int_equal(find(&four, CLOCK, 0, NULL), 1);
}

TEST(a_node_is_no_suspect_if_others_are_slow_as_often)
{
	struct suspect_node four = slow_node("n1", CLOCK, 4, false);
	assert_int_equal(find(&four, CLOCK, 10, NULL), 0);
}

TEST(a_position_with_more_work_counts_once)
{
	struct suspect_node same = slow_node("n1", MEMORY, 6, true);
	assert_int_equal(find(&same, MEMORY, 0, NULL), 0);
	struct suspect_node others = slow_node("n1", MEMORY, 6, false);
	assert_int_equal(find(&others, MEMORY, 0, NULL), 1);
	struct suspect_node clock = slow_node("n1", CLOCK, 6, true);
	assert_int_equal(find(&clock, CLOCK, 0, NULL), 1);
}

TEST(a_suspect_has_the_median_and_all_of_the_time)
{
	struct suspect_node four = slow_node("n1", CLOCK, 4, false);
	struct suspect one;
	assert_int_equal(find(&four, CLOCK, 0, &one), 1);
	assert_string_equal(one.node, "n1");
	assert_int_equal(one.measure, CLOCK);
	assert_int_equal(one.slow, 4);
	assert_int_equal(one.compared, 100);
	assert_int_equal(one.since, 970);
	assert_int_equal(one.until, 2000);
	assert_true(one.by > 1.4 && one.by < 1.6);	/* the median of 0, 2, 4 and 1 */
	assert_true(one.chance > 3e-6 && one.chance < 4e-6);
}

int main(void)
{
	RUN(cmocka_unit_test(a_suspect_was_slow_more_often_than_once_in_100000_by_chance),
	    cmocka_unit_test(a_node_is_no_suspect_if_others_are_slow_as_often),
	    cmocka_unit_test(a_position_with_more_work_counts_once),
	    cmocka_unit_test(a_suspect_has_the_median_and_all_of_the_time));
}
