/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rates.c - compute rates of counters, and read a byte source through a window that moves */
#include "tests/unit/tree.h"

#include "formats/line/rates.h"
#include "formats/window.h"

static void assert_rate(struct rates *r, const char *name, int64_t s, double value, double want)
{
	double rate = -1;
	if (!rates_take(r, str_of(name), s * 1000000, value, &rate) || rate != want)
		fail_msg("%s: %g, not %g", name, rate, want);
}

static void assert_no_rate(struct rates *r, const char *name, int64_t s, double value)
{
	double rate;
	assert_false(rates_take(r, str_of(name), s * 1000000, value, &rate));
}

TEST(a_rate_is_the_growth_since_the_last_reading)
{
	struct rates r CLEANUP(rates_free) = { .n = 0 };
	assert_no_rate(&r, "a", 10, 100);
	assert_no_rate(&r, "b", 10, 7);
	assert_rate(&r, "a", 20, 150, 5);
	assert_rate(&r, "a", 22, 150, 0);
	assert_rate(&r, "b", 20, 8, 0.1);
}

TEST(there_is_no_rate_if_a_counter_fell_or_the_clock_stood_still)
{
	struct rates r CLEANUP(rates_free) = { .n = 0 };
	assert_no_rate(&r, "a", 10, 100);
	assert_no_rate(&r, "a", 20, 99);
	/* the growth is counted from 99, the value to which the counter fell */
	assert_rate(&r, "a", 30, 109, 1);
	assert_no_rate(&r, "a", 30, 209);
	assert_no_rate(&r, "a", 20, 309);
	assert_rate(&r, "a", 30, 319, 1);
}

/* A source that gives 200,000 bytes in pieces, and then ends or fails with .error. */
struct bytes {
	size_t at;
	int error;
};

static ssize_t read_bytes(void *arg, char *to, size_t n)
{
	struct bytes *b = arg;
	if (b->at == 200000)
		return b->error;
	if (n > 777)
		n = 777;
	if (n > 200000 - b->at)
		n = 200000 - b->at;
	for (size_t i = 0; i < n; i++)
		to[i] = (char)((b->at + i) % 251);
	b->at += n;
	return (ssize_t)n;
}

TEST(a_window_knows_where_it_is_in_the_file)
{
	for (int error = 0; error >= -5; error -= 5) {
		struct bytes b = { 0, error };
		struct window w = { .from = { read_bytes, &b } };
		size_t sum = 0;
		for (size_t take = 1; ; take = take * 3 % 9001) {
			struct str ahead = window_ahead(&w, take);
			assert_int_equal(w.offset + w.at, sum);
			if (ahead.n < take)
				break;
			assert_int_equal((unsigned char)ahead.p[0], sum % 251);
			w.at += take;
			sum += take;
		}
		assert_int_equal(window_ahead(&w, 1).n, 200000 - sum);
		assert_true(w.ended);
		assert_int_equal(w.error, error);
		buf_free(&w.bytes);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(a_rate_is_the_growth_since_the_last_reading),
	    cmocka_unit_test(there_is_no_rate_if_a_counter_fell_or_the_clock_stood_still),
	    cmocka_unit_test(a_window_knows_where_it_is_in_the_file));
}
