/* SPDX-License-Identifier: BSD-3-Clause */
/* test_plan.c - find the keys of a record type from which figures are computed */
#include "tests/unit/test.h"

#include "base/base.h"
#include "figures/plan.h"

enum { PLAIN, LESS_ONE, LESS_TWO, N };
static const struct figure rows[N] = {
	[PLAIN] = { .type = "t", .key = "all" },
	[LESS_ONE] = { .type = "t", .key = "all", .less = { "a" } },
	[LESS_TWO] = { .type = "t", .key = "all", .less = { "a", "b" } },
};

/* Make a plan for a type with these keys, and compare the key of each figure. */
static void assert_keys(const char *const names[3], const int key[N])
{
	struct record_key keys[3];
	size_t n = 0;
	for (; n < ARRAY_SIZE(keys) && names[n]; n++)
		keys[n] = (struct record_key){ names[n], "", COUNTER, 64, 1, "", false };
	const struct record_type type = { "t", keys, n };
	struct plan p CLEANUP(plan_free);
	plan_init(&p, (struct figures){ rows, N }, &type);
	assert_int_equal(p.first, 0);
	assert_int_equal(p.n, N);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(p.column[i].key, key[i]);
}

TEST(a_figure_needs_all_keys_that_it_subtracts)
{
	assert_keys((const char *const[]){ "all", "a", "b" }, (const int[]){ 0, 0, 0 });
	assert_keys((const char *const[]){ "b", "a", "all" }, (const int[]){ 2, 2, 2 });
	assert_keys((const char *const[]){ "all", "a", NULL }, (const int[]){ 0, 0, -1 });
	assert_keys((const char *const[]){ "all", "b", NULL }, (const int[]){ 0, -1, -1 });
	assert_keys((const char *const[]){ "all", NULL, NULL }, (const int[]){ 0, -1, -1 });
	assert_keys((const char *const[]){ "a", "b", NULL }, (const int[]){ -1, -1, -1 });
}

/* The control register of a counter selects the event that this counter counts. */
TEST(a_figure_is_in_the_counter_whose_register_has_its_event)
{
	static const struct figure event[] = { { .type = "pmc", .key = "INST", .ctl_mask = 0xff,
						 .ctl = 0xc0 } };
	static const struct record_key keys[] = {
		{ "CTL0", "", GAUGE, 64, 1, "", false }, { "CTL1", "", GAUGE, 64, 1, "", false },
		{ "CTR0", "", COUNTER, 48, 1, "", false },
		{ "CTR1", "", COUNTER, 48, 1, "", false },
	};
	static const struct record_type type = { "pmc", keys, ARRAY_SIZE(keys) };
	static const struct {
		uint64_t value[4];
		int key;
	} cases[] = {
		{ { 0x4300c0, 0x430076, 1, 2 }, 2 },
		{ { 0x430076, 0x4300c0, 1, 2 }, 3 },
		{ { 0x4300c0, 0x4300c0, 1, 2 }, 2 },
		{ { 0x430076, 0x43003c, 1, 2 }, -1 },
	};
	struct plan p CLEANUP(plan_free);
	plan_init(&p, (struct figures){ event, 1 }, &type);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct record_row row = { .device = STR("0"), .value = cases[i].value };
		assert_int_equal(plan_key(&p, &event[0], &p.column[0], &row), cases[i].key);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(a_figure_needs_all_keys_that_it_subtracts),
	    cmocka_unit_test(a_figure_is_in_the_counter_whose_register_has_its_event));
}
