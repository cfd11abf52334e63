/* SPDX-License-Identifier: BSD-3-Clause */
/* test_hook.c - limit the time of a hook, and pass the time of its start on to the next program */
#include "tests/unit/test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include "base/base.h"
#include "base/clock.h"
#include "cli/hook.h"

#define SECOND_NS INT64_C(1000000000)

/* Limit a hook that began this many seconds ago to 100 s. Returns the time left, in us. */
static int64_t time_left(int64_t seconds)
{
	const struct hook h = {
		.timeout_us = 100000000, .start_ns = monotonic_ns() - seconds * SECOND_NS,
	};
	const struct itimerval none = { .it_value = { 0, 0 } };
	struct itimerval t;
	hook_bound_time(&h, false);
	assert_int_equal(getitimer(ITIMER_REAL, &t), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &none, NULL), 0);
	return t.it_value.tv_sec * 1000000 + t.it_value.tv_usec;
}

static bool has_rung(void)
{
	sigset_t pending;
	assert_int_equal(sigpending(&pending), 0);
	return sigismember(&pending, SIGALRM) == 1;
}

/* SIGALRM is blocked, because its handler ends the process. */
TEST(timeout_begins_with_the_first_program)
{
	sigset_t alarms;
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &alarms, NULL), 0);
	assert_in_range(time_left(0), 1, 100000000);
	assert_in_range(time_left(60), 1, 40000000);
	assert_false(has_rung());
	/* an expired timeout sends SIGALRM at once: a timer set to 0 would never send it */
	int64_t left = time_left(200);
	assert_true(has_rung() || (left > 0 && left <= 1000));
	signal(SIGALRM, SIG_IGN);
	assert_int_equal(sigprocmask(SIG_UNBLOCK, &alarms, NULL), 0);
}

TEST(agent_gets_the_first_part_of_the_timeout)
{
	struct hook h = { .timeout_us = 100000000, .start_ns = monotonic_ns() };
	assert_in_range(hook_agents_ms(&h), 1, 60000);
	h.start_ns -= 50 * SECOND_NS;
	assert_in_range(hook_agents_ms(&h), 1, 10000);
	h.start_ns -= 20 * SECOND_NS;
	assert_int_equal(hook_agents_ms(&h), 0);
}

TEST(times_of_the_first_program_are_taken_over)
{
	static const char *const refused[] = {
		"", "begin", "--asked=", "--asked=5", "--asked=5.", "--asked=5.7x", "--asked=-5.7",
		"--asked=9223372036854775808.7",
	};
	const struct hook first = { .start_us = 1700000000000000, .start_ns = monotonic_ns() };
	const struct hook later = { .start_ns = first.start_ns + 3600 * SECOND_NS };
	struct hook h = { .start_ns = 0 };
	char word[HOOK_WORD_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_false(hook_take_over(refused[i]));
	hook_hand_over(&later, word);
	assert_false(hook_take_over(word));
	assert_false(hook_is_taken_over());
	hook_start(&h);
	assert_true(h.start_ns >= first.start_ns);

	hook_hand_over(&first, word);
	assert_true(hook_take_over(word));
	assert_true(hook_is_taken_over());
	hook_start(&h);
	assert_int_equal(h.start_us, first.start_us);
	assert_int_equal(h.start_ns, first.start_ns);
}

TEST(timeout_is_from_a_hundredth_of_a_second_to_an_hour)
{
	static const char *const refused[] = { "", "0", "0.009", "3600.1", "-1", "2s", "2 3" };
	int64_t us;
	assert_true(hook_take_timeout("0.01", &us) && us == 10000);
	assert_true(hook_take_timeout("3600", &us) && us == 3600000000);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_false(hook_take_timeout(refused[i], &us));
}

int main(void)
{
	RUN(cmocka_unit_test(timeout_begins_with_the_first_program),
	    cmocka_unit_test(agent_gets_the_first_part_of_the_timeout),
	    cmocka_unit_test(times_of_the_first_program_are_taken_over),
	    cmocka_unit_test(timeout_is_from_a_hundredth_of_a_second_to_an_hour));
}
