/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_order.c - deliver datagrams of one counter in the order of their numbers */
#include "tests/unit/test.h"

#include <string.h>
#include "xrootd/join/xrd_order.h"

#define NOW 1000000

/* A counter of 1,000 numbers, and the datagrams that it delivered, as one letter each. */
struct counter {
	struct xrd_order order;
	struct xrd_counts counts;
	struct xrd_ordered to;
	size_t held_bytes;
	char delivered[64];
	size_t n;
};

static void on_delivery(void *arg, struct str datagram, int64_t arrived)
{
	struct counter *c = arg;
	(void)arrived;
	assert_true(datagram.n == 1 && c->n < sizeof(c->delivered) - 1);
	c->delivered[c->n++] = datagram.p[0];
}

static void counter_start(struct counter *c)
{
	*c = (struct counter){ .order.wrap = 1000 };
	c->to = (struct xrd_ordered){ &c->counts, &c->held_bytes, 1000, on_delivery, c };
}

static void counter_end(struct counter *c)
{
	xrd_order_free(&c->order, &c->to);
	assert_int_equal(c->held_bytes, 0);
}

static void arrives(struct counter *c, uint16_t seq, const char *datagram)
{
	xrd_order_add(&c->order, &c->to, seq, str_of(datagram), NOW);
}

TEST(numbers_go_on_at_0_after_999)
{
	struct counter c;
	counter_start(&c);
	arrives(&c, 998, "a");
	arrives(&c, 0, "c");
	arrives(&c, 999, "b");
	arrives(&c, 1, "d");
	assert_string_equal(c.delivered, "abcd");
	assert_int_equal(c.counts.n[XRD_LOST], 0);
	assert_int_equal(c.counts.n[XRD_REORDERED], 1);
	arrives(&c, 4, "e");
	xrd_order_expire(&c.order, &c.to, INT64_MAX);
	assert_string_equal(c.delivered, "abcde");
	assert_int_equal(c.counts.n[XRD_LOST], 2);
	counter_end(&c);
}

/* A datagram in text form can have any number. A saved state with a number above 999 is refused. */
TEST(numbers_above_999_are_taken_modulo_1000)
{
	struct counter c;
	counter_start(&c);
	arrives(&c, 5004, "a");
	assert_int_equal(c.order.next, 5);
	arrives(&c, 7006, "c");
	assert_int_equal(c.order.n_held, 1);
	assert_int_equal(c.order.held[0].seq, 6);
	arrives(&c, 6, "x");		/* a datagram of another counter behind the same port */
	arrives(&c, 65005, "b");
	assert_string_equal(c.delivered, "axbc");
	assert_int_equal(c.counts.n[XRD_LOST], 0);
	counter_end(&c);
}

TEST(the_distance_is_to_the_nearest_expected_number)
{
	struct counter c;
	counter_start(&c);
	assert_int_equal(xrd_order_distance(&c.order, 5), 1000);
	arrives(&c, 998, "a");		/* 999 is expected next */
	assert_int_equal(xrd_order_distance(&c.order, 999), 0);
	assert_int_equal(xrd_order_distance(&c.order, 3), 4);
	assert_int_equal(xrd_order_distance(&c.order, 2003), 4);
	assert_int_equal(xrd_order_distance(&c.order, 990), 9);
	arrives(&c, 4, "b");		/* held, so 5 is expected next */
	assert_int_equal(xrd_order_distance(&c.order, 5), 0);
	assert_int_equal(xrd_order_distance(&c.order, 3), 2);
	counter_end(&c);
}

static void arrives_at(struct counter *c, uint16_t seq, const char *datagram, int64_t at)
{
	xrd_order_add(&c->order, &c->to, seq, str_of(datagram), at);
}

TEST(a_number_before_the_first_one_was_never_lost)
{
	struct counter c;
	counter_start(&c);
	arrives(&c, 10, "b");
	arrives(&c, 8, "a");
	assert_string_equal(c.delivered, "ba");
	assert_int_equal(c.counts.n[XRD_LOST], 0);
	assert_int_equal(c.counts.n[XRD_REORDERED], 1);
	counter_end(&c);
}

TEST(a_late_datagram_is_not_lost_and_counts_once)
{
	struct counter c;
	counter_start(&c);
	arrives(&c, 0, "a");
	arrives(&c, 3, "d");
	xrd_order_expire(&c.order, &c.to, INT64_MAX);
	assert_int_equal(c.counts.n[XRD_LOST], 2);
	arrives(&c, 1, "b");
	assert_int_equal(c.counts.n[XRD_LOST], 1);
	arrives(&c, 1, "x");		/* a datagram of another counter */
	assert_int_equal(c.counts.n[XRD_LOST], 1);
	assert_string_equal(c.delivered, "adbx");
	counter_end(&c);
}

TEST(a_datagram_is_late_for_a_minute_and_then_of_a_later_round)
{
	for (int64_t more = 0; more < 2; more++) {
		struct counter c;
		counter_start(&c);
		arrives(&c, 9, "a");
		arrives(&c, 10, "b");
		arrives_at(&c, 5, "c", NOW + XRD_ORDER_LATE + more);
		assert_string_equal(c.delivered, "abc");
		assert_int_equal(c.counts.n[XRD_LOST], more ? 994 : 0);
		counter_end(&c);
	}
}

TEST(a_datagram_that_is_32_numbers_early_is_held)
{
	struct counter c;
	counter_start(&c);
	arrives(&c, 0, "a");
	arrives(&c, 1 + XRD_ORDER_WINDOW, "c");
	assert_string_equal(c.delivered, "a");
	assert_int_equal(c.counts.n[XRD_LOST], 0);
	arrives(&c, 2 + XRD_ORDER_WINDOW, "d");		/* too far ahead: no wait for the gap */
	assert_string_equal(c.delivered, "acd");
	assert_int_equal(c.counts.n[XRD_LOST], XRD_ORDER_WINDOW);
	assert_int_equal(c.counts.n[XRD_GAPS], 1);
	counter_end(&c);
}

TEST(a_datagram_that_is_32_numbers_late_is_late)
{
	for (uint16_t more = 0; more < 2; more++) {
		struct counter c;
		counter_start(&c);
		arrives(&c, 100, "a");
		arrives(&c, (uint16_t)(101 - XRD_ORDER_WINDOW - more), "b");
		assert_string_equal(c.delivered, "ab");
		assert_int_equal(c.counts.n[XRD_LOST] > 0, more);
		counter_end(&c);
	}
}

TEST(an_early_datagram_is_held_for_a_second)
{
	struct counter c;
	counter_start(&c);
	arrives(&c, 0, "a");
	arrives(&c, 2, "c");
	xrd_order_expire(&c.order, &c.to, NOW + XRD_ORDER_WAIT - 1);
	assert_string_equal(c.delivered, "a");
	xrd_order_expire(&c.order, &c.to, NOW + XRD_ORDER_WAIT);
	assert_string_equal(c.delivered, "ac");
	counter_end(&c);
}

int main(void)
{
	RUN(cmocka_unit_test(an_early_datagram_is_held_for_a_second),
	    cmocka_unit_test(a_datagram_that_is_32_numbers_late_is_late),
	    cmocka_unit_test(a_datagram_that_is_32_numbers_early_is_held),
	    cmocka_unit_test(a_datagram_is_late_for_a_minute_and_then_of_a_later_round),
	    cmocka_unit_test(a_late_datagram_is_not_lost_and_counts_once),
	    cmocka_unit_test(a_number_before_the_first_one_was_never_lost),
	    cmocka_unit_test(numbers_go_on_at_0_after_999),
	    cmocka_unit_test(numbers_above_999_are_taken_modulo_1000),
	    cmocka_unit_test(the_distance_is_to_the_nearest_expected_number));
}
