/* SPDX-License-Identifier: BSD-3-Clause */
/* test_holders.c - limit the quota of each sender, and find the sender that holds most */
#include "tests/unit/test.h"

#include "xrootd/join/holders.h"

static struct in6_addr address(unsigned n)
{
	return (struct in6_addr){ .s6_addr = { 0x20, 1, [14] = (uint8_t)(n >> 8), (uint8_t)n } };
}

static uint16_t number(struct holders *h, unsigned n)
{
	const struct in6_addr a = address(n);
	return holders_number(h, &a);
}

TEST(an_address_keeps_its_number_as_long_as_it_has_a_server_or_memory)
{
	struct holders h;
	holders_init(&h);
	assert_int_equal(number(&h, 1), 1);
	h.of[1].servers = 1;
	assert_int_equal(number(&h, 2), 2);
	h.of[2].bytes = 1;
	assert_int_equal(number(&h, 3), 3);
	assert_int_equal(number(&h, 1), 1);
	assert_int_equal(number(&h, 2), 2);
	h.of[1].servers = 0;
	h.of[1].allowance = 5;
	h.of[3].servers = 1;
	assert_int_equal(number(&h, 4), 1);
	assert_int_equal(h.of[1].allowance, HOLDER_ALLOWANCE);
	h.of[1].servers = 1;
	assert_int_equal(number(&h, 1), 4);
	holders_free(&h);
}

TEST(addresses_after_the_4096th_share_number_0)
{
	struct holders h;
	holders_init(&h);
	for (unsigned i = 1; i <= HOLDERS_MAX; i++) {
		assert_int_equal(number(&h, i), i);
		h.of[i].servers = 1;
	}
	assert_int_equal(number(&h, HOLDERS_MAX + 1), 0);
	assert_int_equal(number(&h, HOLDERS_MAX), HOLDERS_MAX);
	h.of[7].servers = 0;
	assert_int_equal(number(&h, HOLDERS_MAX + 1), 7);
	holders_free(&h);
}

TEST(a_sender_spends_no_more_than_it_earned)
{
	struct holder h = { .allowance = 100 };
	assert_false(holder_spend(&h, 101));
	assert_int_equal(h.allowance, 100);
	assert_true(holder_spend(&h, 100));
	assert_false(holder_spend(&h, 1));
	holder_earn(&h, 3);
	assert_int_equal(h.allowance, 3);
	holder_earn(&h, HOLDER_ALLOWANCE);
	assert_int_equal(h.allowance, HOLDER_ALLOWANCE);
}

TEST(who_has_most_may_be_those_that_share_number_0)
{
	struct holders h;
	holders_init(&h);
	number(&h, 1);
	h.of[1].servers = 2;
	h.of[1].bytes = 10;
	number(&h, 2);
	h.of[2].servers = 3;
	h.of[2].bytes = 9;
	assert_ptr_equal(holders_with_most_servers(&h), &h.of[2]);
	assert_ptr_equal(holders_with_most_bytes(&h), &h.of[1]);
	h.of[0].servers = 4;
	h.of[0].bytes = 11;
	assert_ptr_equal(holders_with_most_servers(&h), &h.of[0]);
	assert_ptr_equal(holders_with_most_bytes(&h), &h.of[0]);
	holders_free(&h);
}

int main(void)
{
	RUN(cmocka_unit_test(an_address_keeps_its_number_as_long_as_it_has_a_server_or_memory),
	    cmocka_unit_test(addresses_after_the_4096th_share_number_0),
	    cmocka_unit_test(a_sender_spends_no_more_than_it_earned),
	    cmocka_unit_test(who_has_most_may_be_those_that_share_number_0));
}
