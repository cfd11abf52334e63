/* SPDX-License-Identifier: BSD-3-Clause */
/* test_json.c - write valid JSON and CSV from any bytes */
#include "tests/unit/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/csv.h"
#include "base/json.h"

TEST(strings_are_escaped_if_necessary)
{
	static const struct {
		struct str in;
		const char *out;
	} cases[] = {
		{ STR(""),                     "\"\""                     },
		{ STR("cpu 0"),                "\"cpu 0\""                },
		{ STR("a\"b\\c/"),             "\"a\\\"b\\\\c/\""         },
		{ STR("\n\t\r\x1b\x7f\0."),    "\"\\u000a\\u0009\\u000d\\u001b\\u007f\\u0000.\"" },
		{ STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""              },
		{ STR("\xc2\x9b\xc2\xa0"),     "\"\\u009b\xc2\xa0\""      },
		{ STR("\xff"),                 "\"\\ufffd\""              },
		{ STR("\xc3"),                 "\"\\ufffd\""              },
		{ STR("\xc0\x80"),             "\"\\ufffd\\ufffd\""       },
		{ STR("\xe0\x9f\x80"),         "\"\\ufffd\\ufffd\\ufffd\"" },
		{ STR("\xed\xa0\x80"),         "\"\\ufffd\\ufffd\\ufffd\"" },
		{ STR("\xe2\x82x"),            "\"\\ufffd\\ufffdx\""      },
		{ STR("\xf4\x90\x80\x80"),     "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b = { 0 };
		json_put_string(&b, cases[i].in);
		buf_add_char(&b, '\0');
		assert_string_equal(b.p, cases[i].out);
		buf_free(&b);
	}
}

/* Strings are copied eight characters at a time, so check each length and each position. */
TEST(special_characters_are_found_at_each_position)
{
	static const struct {
		char in;
		const char *out;
	} cases[] = {
		{ ' ', " " }, { '~', "~" }, { '!', "!" }, { '#', "#" }, { '[', "[" },
		{ '\x1f', "\\u001f" }, { '"', "\\\"" }, { '\\', "\\\\" },
		{ '\x7f', "\\u007f" }, { '\x80', "\\ufffd" }, { '\xff', "\\ufffd" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t n = 1; n <= 24; n++)
			for (size_t at = 0; at < n; at++) {
				struct buf b CLEANUP(buf_free) = { 0 };
				char in[24], out[40];
				memset(in, 'x', sizeof(in));
				in[at] = cases[i].in;
				snprintf(out, sizeof(out), "\"%.*s%s%.*s\"", (int)at, in,
					 cases[i].out, (int)(n - at - 1), in + at + 1);
				json_put_string(&b, (struct str){ in, n });
				buf_add_char(&b, '\0');
				assert_string_equal(b.p, out);
			}
}

TEST(doubles_are_as_short_as_they_can_be)
{
	static const struct {
		double in;
		const char *out;
	} cases[] = {
		{ 0.1, "0.1" }, { 1.0 / 3, "0.3333333333333333" },
		{ -3,  "-3"  }, { 1e300,   "1e+300"             },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b = { 0 };
		json_put_double(&b, cases[i].in);
		buf_add_char(&b, '\0');
		assert_string_equal(b.p, cases[i].out);
		buf_free(&b);
	}
}

/*
 * Check that v is written with the fewest digits, 15 or more, from which strtod(3) reads the same
 * value.
 */
static void expect_as_printf(double v)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char text[32];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	json_put_double(&b, v);
	buf_add_char(&b, '\0');
	assert_string_equal(b.p, text);
}

TEST(doubles_equal_those_of_printf)
{
	uint64_t x = 88172645463325252;
	for (int e = -320; e <= 308; e++) {
		char power[16];
		snprintf(power, sizeof(power), "1e%d", e);
		double v = strtod(power, NULL);
		for (int n = 1; n < 10; n++) {
			expect_as_printf(v * n);
			expect_as_printf(nextafter(v * n, 0));
			expect_as_printf(-nextafter(v * n, INFINITY));
			expect_as_printf(ldexp(n, e));
			expect_as_printf(nextafter(ldexp(n, e), 0));
		}
	}
	for (int i = 0; i < 40000; i++) {
		double v;
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&v, &x, sizeof(v));
		if (isfinite(v))
			expect_as_printf(v);
		expect_as_printf((double)(x >> 20) / (double)(x % 10007 + 1));
		expect_as_printf((double)(x >> 34) / 1e6);
		/* values halfway between two numbers of 15 or 16 digits */
		expect_as_printf((double)(x >> 14) / 8);
		expect_as_printf(sqrt((double)(x >> 24)) / 1e3);
	}
	expect_as_printf(0);
	expect_as_printf(-0.0);
}

TEST(commas_separate_values_only)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	json_open(&b, NULL, '{');
	json_str(&b, "a{", STR("{"));
	json_open(&b, "list", '[');
	json_close(&b, ']');
	json_open(&b, "rows", '[');
	json_open(&b, NULL, '{');
	json_close(&b, '}');
	json_int(&b, NULL, INT64_MIN);
	json_u64(&b, NULL, UINT64_MAX);
	json_str(&b, NULL, STR("["));
	json_strf(&b, NULL, "%d:", 7);
	json_close(&b, ']');
	json_double(&b, "nan", 0.0 / 0.0);
	json_double(&b, "half", 0.5);
	json_seconds(&b, "s", -1500000);
	json_bool(&b, "no", false);
	json_raw(&b, "raw", STR("1e3"));
	json_close(&b, '}');
	buf_add_char(&b, '\n');
	json_open(&b, NULL, '[');
	json_null(&b, NULL);
	json_close(&b, ']');
	buf_add_char(&b, '\0');
	assert_string_equal(b.p, "{\"a{\":\"{\",\"list\":[],\"rows\":[{},-9223372036854775808,"
		"18446744073709551615,\"[\",\"7:\"],\"nan\":null,\"half\":0.5,\"s\":-1.500000,"
		"\"no\":false,\"raw\":1e3}\n[null]");
}

TEST(line_of_csv_can_be_read_again)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	csv_raw(&b, STR(""));
	csv_str(&b, STR("plain\x1b[2J"));
	csv_str(&b, STR("a,\"b\"\n"));
	csv_int(&b, -7);
	csv_seconds(&b, 1500000);
	csv_str(&b, STR(""));
	csv_end(&b);
	buf_add_char(&b, '\0');
	assert_string_equal(b.p, ",plain?[2J,\"a,\"\"b\"\"?\",-7,1.500000,\n");
}

/* Some readers drop a leading blank, and some take "\\." for the end of the data. */
TEST(fields_of_csv_that_readers_change_are_quoted)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	csv_exact(&b, STR(" a"));
	csv_exact(&b, STR("\\."));
	csv_exact(&b, STR("a\n"));
	csv_exact(&b, STR("a\r"));
	csv_exact(&b, STR("a b\\."));
	csv_end(&b);
	buf_add_char(&b, '\0');
	assert_string_equal(b.p, "\" a\",\"\\.\",\"a\n\",\"a\r\",a b\\.\n");
}

int main(void)
{
	RUN(cmocka_unit_test(strings_are_escaped_if_necessary),
	    cmocka_unit_test(special_characters_are_found_at_each_position),
	    cmocka_unit_test(doubles_are_as_short_as_they_can_be),
	    cmocka_unit_test(doubles_equal_those_of_printf),
	    cmocka_unit_test(commas_separate_values_only),
	    cmocka_unit_test(line_of_csv_can_be_read_again),
	    cmocka_unit_test(fields_of_csv_that_readers_change_are_quoted));
}
