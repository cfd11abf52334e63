/* SPDX-License-Identifier: BSD-3-Clause */
/* test_str.c - borrowed pieces of text */
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

TEST(a_copy_is_cut_and_says_so)
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
	    cmocka_unit_test(the_last_line_needs_no_newline),
	    cmocka_unit_test(a_time_has_six_decimals_at_most),
	    cmocka_unit_test(items_of_a_list_have_blanks_or_commas_between_them),
	    cmocka_unit_test(a_copy_is_cut_and_says_so));
}
