/* SPDX-License-Identifier: BSD-3-Clause */
/* test_delta.c - add up the growth of a counter between samples */
#include "tests/unit/test.h"
#include "base/base.h"
#include "schema/delta.h"

#define NONE UINT64_MAX		/* no reading in this sample */
#define BOOT (UINT64_MAX - 1)	/* the node was booted before the next reading */
#define OPEN (UINT64_MAX - 2)	/* the counter was opened again before the next reading */

static struct counter follow(const uint64_t *reading, size_t n, unsigned bits)
{
	struct counter c = { 0 };
	for (size_t i = 0; i < n; i++) {
		if (reading[i] == NONE)
			counter_missing(&c);
		else if (reading[i] == BOOT)
			counter_restart(&c);
		else if (reading[i] == OPEN)
			counter_reopen(&c);
		else
			counter_add(&c, reading[i], bits);
	}
	counter_end(&c);
	return c;
}

TEST(total_counts_each_kind_of_step)
{
	static const struct {
		const char *what;
		unsigned bits;
		uint64_t reading[6];
		size_t n;
		uint64_t total, inferred;
		uint32_t steps[DELTA_HOWS]; /* expected counts: ok, wrapped, dip, reset, missing */
	} cases[] = {
		{ "one reading counts nothing",
		  64, { 5000 }, 1,                      0, 0,       { 0, 0, 0, 0, 0 } },
		{ "what stood there before does not count",
		  64, { 100, 130, 130, 200 }, 4,        100, 0,     { 3, 0, 0, 0, 0 } },
		{ "32 bits go through 2^32",
		  32, { 4294967290, 4 }, 2,             10, 10,     { 0, 1, 0, 0, 0 } },
		{ "48 bits go through 2^48",
		  48, { 281474976710655, 0, 7 }, 3,     8, 1,       { 1, 1, 0, 0, 0 } },
		{ "half of 2^32 is still a wrap",
		  32, { 4294967295, 2147483647 }, 2,    2147483648, 2147483648,
							{ 0, 1, 0, 0, 0 } },
		{ "more than half of 2^32 is not: it is a dip",
		  32, { 3000000000, 2500000000 }, 2,    0, 0,       { 0, 0, 1, 0, 0 } },
		{ "a value beyond the width is not of that width",
		  32, { 9000000000, 4 }, 2,             4, 4,       { 0, 0, 0, 1, 0 } },
		{ "a dip is left out",
		  64, { 100, 200, 150, 260 }, 4,        160, 60,    { 1, 0, 1, 0, 0 } },
		{ "a dip that comes back to where it was",
		  64, { 100, 90, 100, 101 }, 4,         1, 0,       { 1, 0, 1, 0, 0 } },
		{ "a reset counts from 0",
		  64, { 100, 200, 5, 25 }, 4,           125, 5,     { 2, 0, 0, 1, 0 } },
		{ "two resets in a row",
		  64, { 1000, 500, 100, 120 }, 4,       620, 600,   { 1, 0, 0, 2, 0 } },
		{ "48 bits that are reopened did not wrap",
		  48, { 200000000000000, OPEN, 5, 9 }, 4, 4, 0, { 1, 0, 0, 0, 1 } },
		{ "and a large reading after it was not counted since",
		  48, { 100, 200, OPEN, 5000, 5001 }, 5, 101, 0, { 2, 0, 0, 0, 1 } },
		{ "reopened twice, and never read again, is one gap",
		  64, { 100, 200, OPEN, OPEN }, 4,      100, 0,     { 1, 0, 0, 0, 1 } },
		{ "what went back before it was reopened is a reset",
		  64, { 100, 200, 30, OPEN, 7, 8 }, 6,  131, 30,    { 2, 0, 0, 1, 1 } },
		{ "a dip before it was reopened is one",
		  64, { 100, 200, 190, OPEN, 300, 301 }, 6, 101, 0, { 2, 0, 1, 0, 1 } },
		{ "reopened before it was read is no gap",
		  64, { OPEN, 100, 130 }, 3,            30, 0,      { 1, 0, 0, 0, 0 } },
		{ "reopened after a boot",
		  64, { 100, BOOT, OPEN, 40, 50 }, 5,   10, 0,      { 1, 0, 0, 0, 1 } },
		{ "a decrease at the end was a reset",
		  64, { 100, 200, 30 }, 3,              130, 30,    { 1, 0, 0, 1, 0 } },
		/*
		 * The counter iowait may decrease without a restart
		 * (Documentation/filesystems/proc.rst, proc(5)).
		 */
		{ "a tick less of iowait is no restart",
		  64, { 548282, 548281, 548281, 548281 }, 4, 0, 0,  { 0, 0, 1, 0, 0 } },
		{ "and nothing counts until it has passed where it was",
		  64, { 3000, 3010, 3009, 3009, 3010, 3015 }, 6, 15, 0, { 2, 0, 1, 0, 0 } },
		{ "a dip of several samples is one",
		  64, { 100, 200, 150, 140, 160, 260 }, 6, 160, 60, { 1, 0, 1, 0, 0 } },
		{ "several samples of 0 are a dip if it comes back",
		  64, { 100, 200, 0, 0, 0, 260 }, 6,    160, 60,    { 1, 0, 1, 0, 0 } },
		{ "and a reset if it does not",
		  64, { 100, 200, 0, 0, 0 }, 5,         100, 0,     { 1, 0, 0, 1, 0 } },
		{ "and a reset if it grows from there",
		  64, { 100, 200, 0, 0, 30, 260 }, 6,   360, 0,     { 3, 0, 0, 1, 0 } },
		{ "what fell twice may come back as well",
		  64, { 1000, 1001, 3, 0, 0, 1003 }, 6, 6, 5,       { 1, 0, 1, 1, 0 } },
		{ "or to exactly where it was",
		  64, { 1000, 1001, 3, 0, 0, 1001 }, 6, 4, 3,       { 1, 0, 1, 1, 0 } },
		{ "a dip ends with a reset",
		  64, { 100, 200, 190, 5, 25 }, 5,      125, 5,     { 2, 0, 0, 1, 0 } },
		{ "a dip goes through 2^32",
		  32, { 4294967290, 4294967280, 4 }, 3, 10, 10,     { 0, 1, 0, 0, 0 } },
		{ "a boot ends a dip",
		  64, { 100, 90, BOOT, 20 }, 4,         20, 20,     { 0, 0, 1, 1, 0 } },
		{ "a sample without a reading takes nothing away",
		  64, { 100, NONE, 150 }, 3,            50, 0,      { 1, 0, 0, 0, 1 } },
		{ "after a boot all of the reading counts, even a larger one",
		  64, { 100, 110, BOOT, 500, 510 }, 5,  520, 500,   { 2, 0, 0, 1, 0 } },
		{ "a boot ends the waiting for a dip",
		  64, { 100, 40, BOOT, 200 }, 4,        240, 240,   { 0, 0, 0, 2, 0 } },
		{ "a boot before the first reading changes nothing",
		  64, { BOOT, 100, 101 }, 3,            1, 0,       { 1, 0, 0, 0, 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct counter c = follow(cases[i].reading, cases[i].n, cases[i].bits);
		if (c.total != cases[i].total || c.inferred != cases[i].inferred)
			fail_msg("%s: total %llu, inferred %llu", cases[i].what,
				 (unsigned long long)c.total, (unsigned long long)c.inferred);
		for (int h = 0; h < DELTA_HOWS; h++)
			if (c.steps[h] != cases[i].steps[h])
				fail_msg("%s: %u steps %s", cases[i].what, c.steps[h],
					 delta_how_name((enum delta_how)h));
	}
}

TEST(decrease_waits_for_the_next_reading)
{
	struct counter c = { 0 };

	counter_add(&c, 100, 64);
	counter_add(&c, 50, 64);
	assert_true(c.waiting);
	assert_int_equal(c.total, 0);
	counter_add(&c, 110, 64);
	assert_false(c.waiting);
	assert_int_equal(c.total, 10);
}

/*
 * If the last reading is below the one before, the growth is withheld if the counter may have been
 * reset: after a fall by more than an eighth.
 */
TEST(a_fall_by_more_than_an_eighth_at_the_end_may_be_a_reset)
{
	static const uint64_t lows[] = { 875, 874 }, withheld[] = { 0, 874 };
	for (size_t i = 0; i < ARRAY_SIZE(lows); i++) {
		struct counter c = { .total = 0 };
		counter_add(&c, 1000, 0);
		counter_add(&c, lows[i], 0);
		counter_end(&c);
		assert_int_equal(c.total, 0);
		assert_int_equal(c.withheld, withheld[i]);
	}
}

/* A low reading may be a dip, a temporary decrease. Ten more low readings make it a reset. */
TEST(counter_that_stays_low_was_reset)
{
	struct counter c = { 0 };

	counter_add(&c, 100, 64);
	for (int i = 0; i < 10; i++)
		counter_add(&c, 5, 64);
	assert_int_equal(c.steps[DELTA_RESET], 0);
	counter_add(&c, 5, 64);
	assert_int_equal(c.steps[DELTA_RESET], 1);
	assert_int_equal(c.total, 5);
	assert_false(c.waiting);
}

/* .most is the largest growth that the device can have between two readings. */
TEST(no_step_exceeds_what_the_device_can_count)
{
	struct counter c = { .most = 1000 };

	counter_add(&c, 4294967000, 32);
	counter_add(&c, 600, 32);
	assert_int_equal(c.steps[DELTA_WRAPPED], 1);
	assert_int_equal(c.total, 896);

	c = (struct counter){ .most = 1000 };
	counter_add(&c, 4000000000, 32);
	counter_add(&c, 600, 32);	/* a wrap would mean a growth of 295 million */
	counter_add(&c, 700, 32);
	assert_int_equal(c.steps[DELTA_RESET], 1);
	assert_int_equal(c.total, 700);

	c = (struct counter){ .most = 1000 };
	counter_add(&c, 4000000000, 64);
	counter_add(&c, 5000, 64);	/* the counter was set to 5000 */
	counter_add(&c, 5100, 64);
	assert_int_equal(c.steps[DELTA_MISSING], 1);
	assert_int_equal(c.total, 100);
}

TEST(first_value_of_another_process_is_not_growth)
{
	struct counter c = { 0 };

	counter_add(&c, 1000, 64);
	counter_add_other(&c, 1010, 64);
	assert_int_equal(c.total, 10);
	counter_add_other(&c, 400, 64);
	counter_add(&c, 430, 64);
	assert_int_equal(c.total, 40);
	assert_int_equal(c.steps[DELTA_MISSING], 1);
	assert_int_equal(c.steps[DELTA_RESET], 0);
	counter_add(&c, 20, 64);
	counter_add(&c, 30, 64);
	assert_int_equal(c.total, 70);
	assert_int_equal(c.steps[DELTA_RESET], 1);
}

TEST(counter_that_is_set_to_0_falls_far)
{
	assert_true(delta_was_set_to_0(201553534811648, 111240, 48));
	assert_true(delta_was_set_to_0(10275287822, 120946, 48));
	assert_true(delta_was_set_to_0(1000, 0, 44));
	assert_false(delta_was_set_to_0(281474976710655, 600000000000, 48));
	assert_false(delta_was_set_to_0(281474976710655, 5, 64));
	assert_false(delta_was_set_to_0(281474976710655, 5, 0));
	assert_false(delta_was_set_to_0(0, 0, 48));
}

TEST(counter_that_is_often_set_back_is_recognised)
{
	static const struct {
		uint64_t reading[6];
		size_t n;
		bool set_back;
		uint32_t to_0;
	} cases[] = {
		{ { 900, 120, 110, 130, 90, 80 },  6, true,  0 },
		/* readings of a counter of type ib_ext, recorded in 2013 */
		{ { 144, 144, 500, 144, 144, 90 }, 6, true,  0 },
		/* a single large fall is a reset of the counter */
		{ { 900, 120 },                    2, false, 0 },
		/* a counter that only fell, and not far, counts as set back */
		{ { 900, 700 },                    2, true,  0 },
		{ { 900, 898 },                    2, false, 0 },	/* a fall of only 2 units */
		{ { 10, 20, 5, 30, 7, 40 },        6, false, 0 },	/* the falls are dips */
		{ { 10, 20, 30, 40, 50, 5 },       6, false, 0 },
		{ { 100, 400, 0, 0 },              4, false, 1 },
		{ { 100, 0, 50, 0, 40, 0 },        6, true,  3 },
		{ { 100, BOOT, 0, BOOT, 0, 1 },    6, false, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct counter c = follow(cases[i].reading, cases[i].n, 64);
		assert_int_equal(counter_is_set_back(&c), cases[i].set_back);
		assert_int_equal(c.to_0, cases[i].to_0);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(counter_that_is_often_set_back_is_recognised),
	    cmocka_unit_test(no_step_exceeds_what_the_device_can_count),
	    cmocka_unit_test(first_value_of_another_process_is_not_growth),
	    cmocka_unit_test(counter_that_is_set_to_0_falls_far),
	    cmocka_unit_test(total_counts_each_kind_of_step),
	    cmocka_unit_test(counter_that_stays_low_was_reset),
	    cmocka_unit_test(a_fall_by_more_than_an_eighth_at_the_end_may_be_a_reset),
	    cmocka_unit_test(decrease_waits_for_the_next_reading));
}
