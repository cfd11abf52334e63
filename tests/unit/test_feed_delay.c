/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_feed_delay.c - hosts that sample at the same moment send their samples spread over the
 * interval
 */
#include "tests/unit/test.h"

#include <stdio.h>
#include "send/feed.h"
#include "send/feed_deliver.h"

/*
 * Return the most requests in any second, if all hosts take a sample at the same moment of each
 * interval.
 */
static int most_in_a_second(const char *before, int digits, int hosts, int seconds)
{
	int requests[3600] = { 0 }, most = 0;
	assert_true(seconds <= 3600);
	for (int i = 0; i < hosts; i++) {
		char host[64];
		snprintf(host, sizeof(host), "%s%0*d.example.org", before, digits, i);
		int64_t delay = feed_delay_us(host, (int64_t)seconds * 1000000);
		assert_in_range(delay, 0, (int64_t)seconds * 1000000 - 1);
		assert_int_equal(delay, feed_delay_us(host, (int64_t)seconds * 1000000));
		requests[delay / 1000000]++;
	}
	for (int i = 0; i < seconds; i++)
		most = requests[i] > most ? requests[i] : most;
	return most;
}

TEST(ten_thousand_hosts_are_spread_evenly)
{
	static const char *const before[] = { "n", "node-", "cn" };
	static const int seconds[] = { 1, 10, 60, 600 };
	const int hosts = 10000;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		for (size_t k = 0; k < ARRAY_SIZE(seconds); k++) {
			int mean = (hosts + seconds[k] - 1) / seconds[k];
			int most = most_in_a_second(before[i], (int)i * 2, hosts, seconds[k]);
			assert_in_range(most, mean, 2 * mean);
		}
}

int main(void)
{
	RUN(cmocka_unit_test(ten_thousand_hosts_are_spread_evenly));
}
