/* SPDX-License-Identifier: BSD-3-Clause */
/* test_since_last.c - compute growth since the last sample for rows that come and go */
#include "tests/unit/test.h"
#include "base/base.h"
#include "schema/since_last.h"

static void assert_growth(struct since_last *s, const char *name, uint64_t value, uint64_t want)
{
	uint64_t n = 0;
	if (!since_last_take(s, str_of(name), value, &n) || n != want)
		fail_msg("%s at %llu grew by %llu, not %llu, or it is not known", name,
			 (unsigned long long)value, (unsigned long long)n,
			 (unsigned long long)want);
}

static void assert_unknown(struct since_last *s, const char *name, uint64_t value)
{
	uint64_t n;
	assert_false(since_last_take(s, str_of(name), value, &n));
}

TEST(growth_is_known_from_the_second_sample_on)
{
	struct since_last s CLEANUP(since_last_free) = { .n = 0 };
	since_last_begin(&s);
	assert_unknown(&s, "a", 1000);
	since_last_begin(&s);
	assert_growth(&s, "a", 1030, 30);
	assert_growth(&s, "new", 7, 7);		/* a new row counts from 0 */
	since_last_begin(&s);
	assert_growth(&s, "a", 1030, 0);
	assert_growth(&s, "new", 8, 1);
}

TEST(a_row_that_was_away_has_no_known_growth)
{
	struct since_last s CLEANUP(since_last_free) = { .n = 0 };
	for (int i = 0; i < 2; i++) {
		since_last_begin(&s);
		(void)since_last_take(&s, STR("a"), 10, &(uint64_t){ 0 });
	}
	since_last_begin(&s);
	since_last_begin(&s);
	assert_unknown(&s, "a", 50);
	since_last_begin(&s);
	assert_growth(&s, "a", 51, 1);
}

TEST(a_counter_that_fell_is_unknown_until_it_goes_on)
{
	struct since_last s CLEANUP(since_last_free) = { .n = 0 };
	since_last_begin(&s);
	assert_unknown(&s, "a", 100);
	since_last_begin(&s);
	assert_unknown(&s, "a", 10);
	since_last_begin(&s);
	assert_unknown(&s, "a", 15);	/* it grows again, so the counter was reset */
	since_last_begin(&s);
	assert_growth(&s, "a", 18, 3);
}

TEST(the_sample_after_a_clear_counts_as_the_first)
{
	struct since_last s CLEANUP(since_last_free) = { .n = 0 };
	for (int i = 0; i < 3; i++)
		since_last_begin(&s);
	(void)since_last_take(&s, STR("a"), 100, &(uint64_t){ 0 });
	since_last_clear(&s);
	since_last_begin(&s);
	assert_unknown(&s, "a", 4000);
	assert_unknown(&s, "b", 5000);
	since_last_begin(&s);
	assert_growth(&s, "a", 4002, 2);
}

int main(void)
{
	RUN(cmocka_unit_test(growth_is_known_from_the_second_sample_on),
	    cmocka_unit_test(a_row_that_was_away_has_no_known_growth),
	    cmocka_unit_test(a_counter_that_fell_is_unknown_until_it_goes_on),
	    cmocka_unit_test(the_sample_after_a_clear_counts_as_the_first));
}
