/* SPDX-License-Identifier: BSD-3-Clause */
/* test_groups.c - sum up runs per user, and sort the sums */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/jobs/groups.h"

#define HOUR INT64_C(3600000000)

static const struct jobs_table no_figures = { .n_figures = 0 };

/*
 * Add a run of `hours` hours on one node, which used 1 of 4 CPUs. unused: node hours that the run
 * did not use; negative: unknown.
 */
static void add_run(struct groups *g, const char *user, int hours, double unused)
{
	const struct run_row row = {
		.used = { .known = true, .unused = unused, .used[USED_CPU] = { .n = 1, .of = 4 } },
		.node_hours = hours, .program = "",
	};
	const struct listed_job j = { .id = "7", .user = user, .first = 0, .last = hours * HOUR,
				      .is = &row };
	groups_add(g, &no_figures, &j, NULL);
}

static void keep_cell(void *arg, size_t column, const char *text)
{
	char (*cells)[32] = arg;
	if (column < GROUP_COLUMNS)
		snprintf(cells[column], sizeof(cells[column]), "%s", text);
}

static void assert_row(const struct group *one, const char *name, const char *hours,
		       const char *unused, const char *cpus)
{
	char cells[GROUP_COLUMNS][32] = { "" };
	groups_put_row(cells, keep_cell, &no_figures, one);
	assert_string_equal(cells[0], name);
	assert_string_equal(cells[2], hours);
	assert_string_equal(cells[3], unused);
	assert_string_equal(cells[4], cpus);
	assert_string_equal(cells[5], "-");	/* the runs used no GPU */
	assert_string_equal(cells[6], "-");	/* no energy was measured */
}

TEST(runs_of_a_user_are_summed_and_those_with_most_unused_come_first)
{
	struct groups g CLEANUP(groups_free) = { .by = GROUP_USER };
	add_run(&g, "ann", 2, 1);
	add_run(&g, "bob", 4, -1);
	add_run(&g, "cid", 1, 0);
	add_run(&g, "ann", 6, 2);
	add_run(&g, NULL, 9, 2.5);
	groups_sort(&g, ORDER_UNUSED, 0);
	assert_int_equal(g.n, 4);
	assert_int_equal(g.group[0].runs, 2);
	assert_row(&g.group[0], "ann", "8.0", "3.0", "25%");
	assert_row(&g.group[1], "-", "9.0", "2.5", "25%");
	assert_row(&g.group[2], "cid", "1.0", "0.0", "25%");
	/* the unused node hours of bob's run are unknown */
	assert_row(&g.group[3], "bob", "4.0", "-", "25%");
}

TEST(unused_hours_are_a_lower_bound_if_a_run_has_none)
{
	struct groups g CLEANUP(groups_free) = { .by = GROUP_USER };
	add_run(&g, "ann", 2, 1);
	add_run(&g, "ann", 4, -1);
	assert_row(&g.group[0], "ann", "6.0", ">=1.0", "25%");
}

TEST(groups_of_the_same_order_are_sorted_by_name)
{
	struct groups g CLEANUP(groups_free) = { .by = GROUP_USER };
	static const char *const by_hours[] = { "bob", "ann", "cid" };
	add_run(&g, "cid", 1, 0);
	add_run(&g, "bob", 2, 0);
	add_run(&g, "ann", 1, 0);
	groups_sort(&g, ORDER_HOURS, 0);
	for (size_t i = 0; i < ARRAY_SIZE(by_hours); i++)
		assert_string_equal(g.group[i].name, by_hours[i]);
	groups_sort(&g, ORDER_NAME, 0);
	assert_string_equal(g.group[0].name, "ann");
	assert_string_equal(g.group[1].name, "bob");
}

TEST(a_group_names_the_finding_of_most_of_its_runs)
{
	struct groups g CLEANUP(groups_free) = { .by = GROUP_USER };
	char cells[GROUP_COLUMNS][32] = { "" };
	add_run(&g, "ann", 1, 0);
	groups_put_row(cells, keep_cell, &no_figures, &g.group[0]);
	assert_string_equal(cells[7], "");
	g.group[0].found[1] = 2;
	g.group[0].found[2] = 3;
	g.group[0].found[3] = 3;
	groups_put_row(cells, keep_cell, &no_figures, &g.group[0]);
	assert_true(str_starts(str_of(cells[7]), str_of(finding_rules[2].name)));
	assert_true(str_ends(str_of(cells[7]), STR(" 3")));
}

int main(void)
{
	RUN(cmocka_unit_test(runs_of_a_user_are_summed_and_those_with_most_unused_come_first),
	    cmocka_unit_test(unused_hours_are_a_lower_bound_if_a_run_has_none),
	    cmocka_unit_test(groups_of_the_same_order_are_sorted_by_name),
	    cmocka_unit_test(a_group_names_the_finding_of_most_of_its_runs));
}
