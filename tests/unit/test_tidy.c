/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tidy.c - start nodometer-tidy when it is due, and set the space that it keeps free */
#include "tests/unit/heard.h"

#include "archive/tidy.h"
#include "base/base.h"
#include "base/clock.h"

#define SECOND_NS INT64_C(1000000000)

static bool is_due_after(int64_t seconds, bool now)
{
	struct tidy t = { .started_ns = monotonic_ns() - seconds * SECOND_NS };
	return tidy_due(&t, now);
}

TEST(tidy_runs_each_hour_and_a_minute_after_a_request)
{
	assert_true(tidy_due(&(struct tidy){ .started_ns = 0 }, false));
	assert_false(is_due_after(3590, false));
	assert_true(is_due_after(3601, false));
	assert_false(is_due_after(50, true));
	assert_true(is_due_after(61, true));
}

TEST(a_request_while_tidy_runs_starts_it_again_later)
{
	struct tidy t = { .started_ns = monotonic_ns() - 61 * SECOND_NS, .running = true };
	assert_false(tidy_due(&t, true));
	tidy_ended(&t, false, NULL);
	assert_true(tidy_due(&t, false));
	assert_false(t.soon);
	assert_true(monotonic_ns() - t.started_ns < 60 * SECOND_NS);
}

/* A retry comes within an hour, or within a minute while space is below the floor. */
TEST(a_failure_is_reported_with_the_longest_time_to_the_next_start)
{
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	struct tidy t = { .running = true };
	tidy_ended(&t, true, &listener);
	assert_lines(&heard, 1, 0, "within an hour");
}

TEST(the_floor_is_a_twentieth_and_at_most_256_mb)
{
	static const struct {
		uint64_t blocks, available;	/* both numbers in blocks of 1 MB */
		int64_t floor;
		bool below;
	} cases[] = {
		{ 1000, 50, TIDY_FLOOR, false }, { 1000, 49, TIDY_FLOOR, true },
		{ 1000000, 256, TIDY_FLOOR, false }, { 1000000, 255, TIDY_FLOOR, true },
		{ 1000, 1, 1 << 20, false }, { 1000, 0, 1 << 20, true }, { 1000, 0, 0, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct statvfs v = { .f_frsize = 1 << 20, .f_blocks = cases[i].blocks,
					   .f_bavail = cases[i].available };
		if (tidy_below(&v, cases[i].floor) != cases[i].below)
			fail_msg("case %zu", i);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(tidy_runs_each_hour_and_a_minute_after_a_request),
	    cmocka_unit_test(a_request_while_tidy_runs_starts_it_again_later),
	    cmocka_unit_test(a_failure_is_reported_with_the_longest_time_to_the_next_start),
	    cmocka_unit_test(the_floor_is_a_twentieth_and_at_most_256_mb));
}
