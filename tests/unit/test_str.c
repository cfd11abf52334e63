/* SPDX-License-Identifier: BSD-3-Clause */
/* test_str.c - take numbers, lines, times and items from borrowed text */
#include "tests/unit/test.h"
#include "base/base.h"
#include "base/str.h"

TEST(u64_takes_digits_and_nothing_else)
{
	static const struct {
		const char *in;
		bool ok;
		uint64_t value;
		const char *rest;
	} cases[] = {
		{ "42 rest",              true,  42,         " rest"                 },
		{ "  7",                  true,  7,          ""                      },
		{ "18446744073709551615", true,  UINT64_MAX, ""                      },
		{ "18446744073709551616", false, 0,          "18446744073709551616"  },
		{ "99999999999999999999", false, 0,          "99999999999999999999"  },
		{ "000000000000000000001", true, 1,          ""                      },
		{ "-1",                   false, 0,          "-1"                    },
		{ "",                     false, 0,          ""                      },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str in = str_of(cases[i].in);
		uint64_t v = 0;
		assert_int_equal(str_take_u64(&in, &v), cases[i].ok);
		assert_int_equal(v, cases[i].value);
		assert_true(str_eq(in, str_of(cases[i].rest)));
	}
}

/* Take a number digit by digit, for comparison with str_take_u64(). */
static bool take_slowly(struct str *in, uint64_t *value)
{
	struct str s = *in;
	uint64_t v = 0;
	while (str_peek(s) == ' ' || str_peek(s) == '\t')
		s = str_skip(s, 1);
	const char *first = s.p;
	for (; str_peek(s) >= '0' && str_peek(s) <= '9'; s = str_skip(s, 1))
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (unsigned)(*s.p - '0'), &v))
			return false;
	if (s.p == first)
		return false;
	*in = s;
	*value = v;
	return true;
}

TEST(u64_is_the_same_as_digit_by_digit)
{
	uint32_t seed = 1;
	for (int round = 0; round < 300000; round++) {
		char text[48];
		size_t n = 0, blanks, digits, other;
		seed = seed * 1664525 + 1013904223;
		blanks = (seed >> 8) % 12;
		digits = (seed >> 12) % 24;
		other = (seed >> 17) % 12;
		for (size_t i = 0; i < blanks; i++)
			text[n++] = (seed >> i) % 8 ? ' ' : '\t';
		for (size_t i = 0; i < digits; i++)
			text[n++] = (char)('0' + (seed >> i % 20) % 10);
		for (size_t i = 0; i < other; i++)
			text[n++] = "\n /:\t\xff"[(seed >> (8 + i)) % 6];
		struct str fast = { text, n }, slow = fast;
		uint64_t got = 0, want = 0;
		assert_int_equal(str_take_u64(&fast, &got), take_slowly(&slow, &want));
		assert_int_equal(got, want);
		assert_ptr_equal(fast.p, slow.p);
		assert_int_equal(fast.n, slow.n);
	}
}

TEST(hex_takes_digits_of_64_bits_at_most)
{
	static const struct {
		const char *in;
		bool ok;
		uint64_t value;
		const char *left;
	} cases[] = {
		{ "1f",                 true,  0x1f,       ""   },
		{ "Dead beef",          true,  0xdead,     " beef" },
		{ "0x1f",               true,  0,          "x1f" },
		{ "0ffffffffffffffff",  true,  UINT64_MAX, ""   },
		{ "10000000000000000",  false, 7,          "10000000000000000" },
		{ "",                   false, 7,          ""   },
		{ "g",                  false, 7,          "g"  },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str in = str_of(cases[i].in);
		uint64_t v = 7;
		assert_int_equal(str_take_hex(&in, &v), cases[i].ok);
		assert_int_equal(v, cases[i].value);
		assert_true(str_eq(in, str_of(cases[i].left)));
	}
}

TEST(the_last_line_needs_no_newline)
{
	struct str in = STR("a\n\nb"), line;

	assert_true(str_take_line(&in, &line) && str_eq(line, STR("a")));
	assert_true(str_take_line(&in, &line) && str_eq(line, STR("")));
	assert_true(str_take_line(&in, &line) && str_eq(line, STR("b")));
	assert_false(str_take_line(&in, &line));
}

TEST(a_time_has_six_decimals_at_most)
{
	static const struct {
		const char *in;
		bool ok;
		int64_t usec;
	} cases[] = {
		{ "1307509201",            true,  1307509201000000 },
		{ "1307509201.25",         true,  1307509201250000 },
		{ "1307509201.000001",     true,  1307509201000001 },
		{ "1307509201.0000019",    true,  1307509201000001 },
		{ "99999999999999999",     false, 0                },
		{ "x",                     false, 0                },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str in = str_of(cases[i].in);
		int64_t usec = 0;
		assert_int_equal(str_take_time(&in, &usec), cases[i].ok);
		assert_int_equal(usec, cases[i].usec);
	}
}

TEST(items_of_a_list_have_blanks_or_commas_between_them)
{
	struct str in = STR(" a,b\t, cc"), item;
	assert_true(str_take_item(&in, &item) && str_eq(item, STR("a")));
	assert_true(str_take_item(&in, &item) && str_eq(item, STR("b")));
	assert_true(str_take_item(&in, &item) && str_eq(item, STR("cc")));
	assert_false(str_take_item(&in, &item));
	in = STR(" , ");
	assert_false(str_take_item(&in, &item));
}

TEST(ranges_are_below_the_limit_and_ascend)
{
	static const char *const refused[] = { "", "x", "8", "0-8", "3-1", "0-", "-1" };
	struct str in = STR("0-3,7");
	unsigned first, last;
	assert_true(str_take_range(&in, 8, &first, &last) && first == 0 && last == 3);
	assert_true(str_take_range(&in, 8, &first, &last) && first == 7 && last == 7);
	assert_false(str_take_range(&in, 8, &first, &last));
	in = STR("2-5,5-6");	/* reading ends where a list does not ascend */
	assert_true(str_take_range(&in, 8, &first, &last) && first == 2 && last == 5);
	assert_false(str_take_range(&in, 8, &first, &last));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		in = str_of(refused[i]);
		assert_false(str_take_range(&in, 8, &first, &last));
	}
}

TEST(a_copy_that_is_cut_returns_false)
{
	char to[4];

	assert_true(str_copy(to, sizeof(to), STR("abc")));
	assert_string_equal(to, "abc");
	assert_false(str_copy(to, sizeof(to), STR("abcd")));
	assert_string_equal(to, "abc");
}

int main(void)
{
	RUN(cmocka_unit_test(u64_takes_digits_and_nothing_else),
	    cmocka_unit_test(u64_is_the_same_as_digit_by_digit),
	    cmocka_unit_test(hex_takes_digits_of_64_bits_at_most),
	    cmocka_unit_test(the_last_line_needs_no_newline),
	    cmocka_unit_test(a_time_has_six_decimals_at_most),
	    cmocka_unit_test(items_of_a_list_have_blanks_or_commas_between_them),
	    cmocka_unit_test(ranges_are_below_the_limit_and_ascend),
	    cmocka_unit_test(a_copy_that_is_cut_returns_false));
}
