/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_times.c - estimate the times of events from the windows of their datagram */
#include "tests/unit/tree.h"

#include "formats/xrootd/xrd_times.h"

#define SECOND INT64_C(1000000)
#define ARRIVED (5000 * SECOND)

/* Append the times of the datagram's events in microseconds, for example "1005000000 ". */
static void put_times(struct buf *to, struct str datagram)
{
	struct xrd_packet p;
	struct xrd_record r;
	struct xrd_times t;
	assert_int_equal(xrd_open(datagram, &p), 0);
	xrd_times_start(&t, &p, ARRIVED);
	while (xrd_next(&p, &r) > 0) {
		xrd_times_next(&t, &p, &r);
		if (r.kind == XRD_WINDOW)
			buf_add(to, STR("| "));
		else
			buf_addf(to, "%lld ", (long long)t.at);
	}
}

/* Check the times of a datagram with these records. */
static void assert_times(const struct xrd_packet *p, const struct xrd_record *r, size_t n,
			 const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 }, got CLEANUP(buf_free) = { 0 };
	xrd_begin(&b, p);
	for (size_t i = 0; i < n; i++)
		xrd_put(&b, p, &r[i]);
	assert_int_equal(xrd_end(&b, p), 0);
	put_times(&got, buf_str(&b));
	assert_text(buf_str(&got), str_of(want));
}

#define EVENT { .kind = XRD_REDIRECT, .op = 1, .host = STR("h"), .text = STR("/f") }
#define IO    { .kind = XRD_IO, .id = 1, .length = 5 }

/* A mark of the r-stream has the start of its own window and the length of the previous window. */
TEST(redirects_are_spread_over_their_windows)
{
	const struct xrd_packet p = { .code = 'r', .sid = 1, .has_sid = true };
	const struct xrd_record r[] = {
		{ .kind = XRD_WINDOW, .window_begin = 1000, .seconds = 77 }, EVENT, EVENT,
		{ .kind = XRD_WINDOW, .window_begin = 1010, .seconds = 10 }, EVENT,
		{ .kind = XRD_WINDOW, .window_begin = 1060, .seconds = 50 },
	};
	assert_times(&p, r, ARRAY_SIZE(r), "| 1002500000 1007500000 | 1035000000 | ");
}

/* A mark of the t-stream has the end of the previous window and the start of its own window. */
TEST(reads_are_spread_over_their_windows)
{
	const struct xrd_packet p = { .code = 't', .sid = 1, .has_sid = true };
	const struct xrd_record r[] = {
		{ .kind = XRD_WINDOW, .window_end = 990, .window_begin = 1000 }, IO, IO,
		{ .kind = XRD_WINDOW, .window_end = 1008, .window_begin = 1020 }, IO,
		{ .kind = XRD_WINDOW, .window_end = 1030, .window_begin = 1040 },
	};
	assert_times(&p, r, ARRAY_SIZE(r), "| 1002000000 1006000000 | 1025000000 | ");
}

/* The last window of a datagram that was cut has no end. */
TEST(a_window_without_an_end_has_the_length_of_its_mark)
{
	const struct xrd_packet p = { .code = 'r', .sid = 1, .has_sid = true };
	const struct xrd_record r[] = {
		{ .kind = XRD_WINDOW, .window_begin = 1000, .seconds = 80 }, EVENT, EVENT,
	};
	assert_times(&p, r, ARRAY_SIZE(r), "| 1020000000 1060000000 ");
}

TEST(without_a_window_an_event_has_the_time_of_its_arrival)
{
	const struct xrd_packet p = { .code = 'r', .sid = 1, .has_sid = true };
	const struct xrd_record r[] = { EVENT, EVENT };
	assert_times(&p, r, ARRAY_SIZE(r), "5000000000 5000000000 ");
}

/* If a clock went back, no event may be before its window. */
TEST(a_window_that_ends_before_it_begins_has_no_length)
{
	const struct xrd_packet p = { .code = 't', .sid = 1, .has_sid = true };
	const struct xrd_record r[] = {
		{ .kind = XRD_WINDOW, .window_end = 990, .window_begin = 1000 }, IO, IO,
		{ .kind = XRD_WINDOW, .window_end = 900, .window_begin = 900 },
	};
	assert_times(&p, r, ARRAY_SIZE(r), "| 1000000000 1000000000 | ");
}

int main(void)
{
	RUN(cmocka_unit_test(redirects_are_spread_over_their_windows),
	    cmocka_unit_test(reads_are_spread_over_their_windows),
	    cmocka_unit_test(a_window_without_an_end_has_the_length_of_its_mark),
	    cmocka_unit_test(without_a_window_an_event_has_the_time_of_its_arrival),
	    cmocka_unit_test(a_window_that_ends_before_it_begins_has_no_length));
}
