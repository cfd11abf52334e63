/* SPDX-License-Identifier: BSD-3-Clause */
/* test_derived.c - add derived figures of several nodes, and compare them with their true values */
#include "tests/unit/test.h"

#include <math.h>
#include "base/base.h"
#include "figures/derived.h"

#define NEAR 1e-9	/* relative difference that is ignored */

TEST(missing_amounts_make_a_value_a_bound)
{
	static const struct {
		bool part;
		double least, most;
		enum derived_bound bound;
	} cases[] = {
		{ false, 1, 3, BOUND_NONE },
		{ true, 2, 2, BOUND_NONE },
		{ true, 2, 3, BOUND_AT_LEAST },
		{ true, 2, INFINITY, BOUND_AT_LEAST },
		{ true, 0, 2, BOUND_AT_MOST },
		{ true, 1, 3, BOUND_UNKNOWN },
		{ true, 2 * (1 - NEAR / 2), 2 * (1 + NEAR / 2), BOUND_NONE },
		{ true, 2 * (1 - 2 * NEAR), 2 * (1 + NEAR / 2), BOUND_AT_MOST },
		{ true, 2 * (1 - NEAR / 2), 2 * (1 + 2 * NEAR), BOUND_AT_LEAST },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct derived_value v = { .known = true, .part = cases[i].part, .over = 6,
						 .under = 3, .least = cases[i].least,
						 .most = cases[i].most };
		assert_int_equal(derived_bound(&v), cases[i].bound);
	}
}

TEST(values_of_nodes_are_added_with_their_missing_amounts)
{
	struct derived_value sum = { .known = false };
	derived_add(&sum, &(struct derived_value){
		.known = true, .over = 6, .under = 3, .devices = 2, .left_out = 1,
		.resets = { 1, 2 }, .inferred = { 3, 1 }, .steps = { 1, 2 } });
	assert_true(sum.known);
	assert_false(sum.part);
	derived_add(&sum, &(struct derived_value){
		.known = true, .part = true, .least = 1, .most = 3, .over = 2, .under = 1,
		.devices = 4, .left_out = 2, .resets = { 3, 4 }, .inferred = { 1, 1 },
		.steps = { 3, 4 } });
	assert_true(sum.part);
	assert_true(sum.least == 1 && sum.most == 3);
	assert_true(sum.over == 8 && sum.under == 4);
	assert_int_equal(sum.devices, 6);
	assert_int_equal(sum.left_out, 3);
	assert_int_equal(sum.resets[0], 4);
	assert_int_equal(sum.resets[1], 6);
	assert_int_equal(sum.steps[0], 4);
	assert_int_equal(sum.steps[1], 6);
	derived_add(&sum, &(struct derived_value){ .known = true, .part = true, .least = .5,
						   .most = 2, .over = 1, .under = 1 });
	assert_true(sum.least == .5 && sum.most == 3);
}

TEST(the_larger_estimated_part_is_shown_in_percent)
{
	static const struct {
		double over, under, inferred[2], percent;
	} cases[] = {
		{ 4, 2, { 0, 0 }, 0 }, { 4, 2, { 1, 0 }, 25 }, { 4, 2, { 1, 1 }, 50 },
		{ 4, 2, { 8, 0 }, 100 }, { 0, 2, { 1, 1 }, 50 }, { 4, 0, { 1, 1 }, 25 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct derived_value v = {
			.over = cases[i].over, .under = cases[i].under,
			.inferred = { cases[i].inferred[0], cases[i].inferred[1] } };
		assert_true(derived_inferred(&v) == cases[i].percent);
	}
}

TEST(a_number_has_the_scale_of_its_figure)
{
	const struct derived_value v = { .known = true, .over = 6, .under = 3 };
	assert_true(derived_number(&(struct derived){ .scale = 0 }, &v) == 2);
	assert_true(derived_number(&(struct derived){ .scale = 100 }, &v) == 200);
}

int main(void)
{
	RUN(cmocka_unit_test(missing_amounts_make_a_value_a_bound),
	    cmocka_unit_test(values_of_nodes_are_added_with_their_missing_amounts),
	    cmocka_unit_test(the_larger_estimated_part_is_shown_in_percent),
	    cmocka_unit_test(a_number_has_the_scale_of_its_figure));
}
