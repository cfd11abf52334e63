/* SPDX-License-Identifier: BSD-3-Clause */
/* test_guests.c - limit the connections of unprivileged users, with a simulated clock */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <time.h>
#include "agent/connection_limits.h"

#define START_NS INT64_C(5000000000)

static int64_t now_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	*t = (struct timespec){ now_ns / 1000000000, (long)(now_ns % 1000000000) };
	return 0;
}

/* Connect n times as this user. Returns how many connections are accepted. */
static unsigned admitted(struct connection_limits *g, uid_t uid, unsigned n)
{
	unsigned all = 0;
	for (unsigned i = 0; i < n; i++)
		all += connection_limits_admit(g, uid);
	return all;
}

TEST(user_has_50_connections_in_a_second)
{
	struct connection_limits *g = connection_limits_new();
	now_ns = START_NS;
	assert_int_equal(admitted(g, 1000, 60), 50);
	assert_int_equal(admitted(g, 1001, 10), 10);
	now_ns = START_NS + 999999999;
	assert_int_equal(admitted(g, 1000, 1), 0);
	assert_int_equal(admitted(g, 1001, 60), 40);
	now_ns = START_NS + 1000000000;
	assert_int_equal(admitted(g, 1000, 60), 50);
	free(g);
}

/* Refused connections of one user do not reduce the quota of the others. */
TEST(all_users_have_400_connections_in_a_second)
{
	struct connection_limits *g = connection_limits_new();
	unsigned all = 0;
	now_ns = START_NS;
	assert_int_equal(admitted(g, 1, 1000), 50);
	for (uid_t uid = 2; uid < 20; uid++)
		all += admitted(g, uid, 40);
	assert_int_equal(all, 350);
	now_ns += 1000000000;
	assert_int_equal(admitted(g, 9, 40), 40);
	free(g);
}

TEST(users_beyond_the_table_share_the_last_count)
{
	struct connection_limits *g = connection_limits_new();
	now_ns = START_NS;
	for (uid_t uid = 1; uid <= 64; uid++)
		assert_int_equal(admitted(g, uid, 1), 1);
	assert_int_equal(admitted(g, 1000, 30), 30);
	/*
	 * all users after the 63rd share one count of 50 connections: user 64 made 1, user 1000
	 * made 30
	 */
	assert_int_equal(admitted(g, 1001, 30), 19);
	assert_int_equal(admitted(g, 63, 49), 49);
	free(g);
}

TEST(flood_of_1000_refusals_in_a_tenth_of_a_second_ends_with_the_tenth)
{
	struct connection_limits *g = connection_limits_new();
	now_ns = START_NS;
	for (int i = 0; i < 999; i++)
		assert_int_equal(connection_limits_note_refusal(g), 0);
	now_ns += 99999000;
	assert_int_equal(connection_limits_note_refusal(g), START_NS / 1000 + 100000);
	now_ns = START_NS + 100000000;
	for (int i = 0; i < 999; i++)
		assert_int_equal(connection_limits_note_refusal(g), 0);
	assert_int_equal(connection_limits_note_refusal(g), START_NS / 1000 + 200000);
	free(g);
}

int main(void)
{
	RUN(cmocka_unit_test(user_has_50_connections_in_a_second),
	    cmocka_unit_test(all_users_have_400_connections_in_a_second),
	    cmocka_unit_test(users_beyond_the_table_share_the_last_count),
	    cmocka_unit_test(flood_of_1000_refusals_in_a_tenth_of_a_second_ends_with_the_tenth));
}
