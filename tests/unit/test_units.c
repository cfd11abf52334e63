/* SPDX-License-Identifier: BSD-3-Clause */
/* test_units.c - format numbers, durations and names for people, at most ten columns wide */
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "figures/units.h"

#define NUMBER_WIDTH 10
#define SECOND       INT64_C(1000000)

TEST(number_has_about_four_digits_and_a_unit)
{
	static const struct {
		enum figure_unit unit;
		double v;
		const char *text;
	} cases[] = {
		{ UNIT_BYTES, 0, "0 B" }, { UNIT_BYTES, 1023, "1023 B" },
		{ UNIT_BYTES, 1.5, "1.500 B" }, { UNIT_BYTES, 1024, "1.000 KiB" },
		{ UNIT_BYTES, 9.9994 * 1024, "9.999 KiB" },
		{ UNIT_BYTES, 9.9996 * 1024, "10.00 KiB" },
		{ UNIT_BYTES, 99.994 * 1024, "99.99 KiB" },
		{ UNIT_BYTES, 99.996 * 1024, "100.0 KiB" },
		{ UNIT_BYTES, 999.94 * 1024, "999.9 KiB" },
		{ UNIT_BYTES, 999.96 * 1024, "1000 KiB" },
		{ UNIT_BYTES, 1048575, "1024 KiB" }, { UNIT_BYTES, 1048576, "1.000 MiB" },
		{ UNIT_BYTES, -2048, "-2.000 KiB" }, { UNIT_BYTES, 0x1p60, "1.000 EiB" },
		{ UNIT_BYTES, 0x1p70, "1024 EiB" },
		{ UNIT_SECONDS, 59.9, "59.90 s" }, { UNIT_SECONDS, 60, "1.000 min" },
		{ UNIT_SECONDS, 3599, "59.98 min" }, { UNIT_SECONDS, 3600, "1.000 h" },
		{ UNIT_JOULES, 999, "999 J" }, { UNIT_JOULES, 1000, "1.000 kJ" },
		{ UNIT_JOULES, 2.5e9, "2.500 GJ" },
		{ UNIT_COUNT, 7, "7" }, { UNIT_COUNT, 7.25, "7.25" },
		{ UNIT_COUNT, 1000.5, "1000" },
		{ UNIT_COUNT, 999999999, "999999999" }, { UNIT_COUNT, 1e9, "1.000 G" },
		{ UNIT_COUNT, 2e18, "2.000 E" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text t = text_value(cases[i].unit, cases[i].v);
		assert_string_equal(t.s, cases[i].text);
		assert_true(strlen(t.s) <= NUMBER_WIDTH);
	}
}

TEST(rate_has_a_unit_per_second_and_cpu_time_is_percent)
{
	static const struct {
		enum figure_unit unit;
		double v;
		const char *text;
	} cases[] = {
		{ UNIT_BYTES, 1, "1 B/s" }, { UNIT_BYTES, 1024, "1.00 KiB/s" },
		{ UNIT_BYTES, 9.994 * 1024, "9.99 KiB/s" },
		{ UNIT_BYTES, 9.996 * 1024, "10.0 KiB/s" },
		{ UNIT_BYTES, 99.94 * 1024, "99.9 KiB/s" },
		{ UNIT_BYTES, 99.96 * 1024, "100 KiB/s" },
		{ UNIT_BYTES, 0x1.8p40, "1.50 TiB/s" },
		{ UNIT_COUNT, 12, "12 /s" }, { UNIT_COUNT, 0.25, "0.250 /s" },
		{ UNIT_COUNT, 2500, "2.500 k/s" },
		{ UNIT_JOULES, 300, "300 W" }, { UNIT_JOULES, 1500, "1.500 kW" },
		{ UNIT_JOULES, 2e9, "2000 MW" },
		{ UNIT_SECONDS, 0.5, "50.000 %" }, { UNIT_SECONDS, 2, "200.000 %" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text t = text_rate(cases[i].unit, cases[i].v);
		assert_string_equal(t.s, cases[i].text);
		assert_true(strlen(t.s) <= NUMBER_WIDTH);
	}
}

TEST(percentage_below_1_has_a_digit_more)
{
	assert_string_equal(text_percent(0).s, "0.0 %");
	assert_string_equal(text_percent(0.25).s, "0.25 %");
	assert_string_equal(text_percent(1).s, "1.0 %");
	assert_string_equal(text_percent(99.96).s, "100.0 %");
}

TEST(duration_is_rounded_to_seconds_from_a_minute_on)
{
	static const struct {
		int64_t usec;
		const char *text;
	} cases[] = {
		{ 0, "0:00:00" }, { SECOND / 4, "0.25 s" }, { 59 * SECOND, "0:00:59" },
		{ 60 * SECOND - 1, "60 s" }, { 60 * SECOND + SECOND / 2 - 1, "0:01:00" },
		{ 60 * SECOND + SECOND / 2, "0:01:01" }, { 3600 * SECOND - 1, "1:00:00" },
		{ 8257 * SECOND, "2:17:37" }, { 86399 * SECOND, "23:59:59" },
		{ 86400 * SECOND - SECOND / 2 - 1, "23:59:59" },
		{ 86400 * SECOND - SECOND / 2, "1 d 00:00:00" },
		{ 86400 * SECOND, "1 d 00:00:00" },
		{ (3 * 86400 + 7265) * SECOND, "3 d 02:01:05" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(text_duration(cases[i].usec).s, cases[i].text);
}

TEST(time_is_local)
{
	assert_int_equal(setenv("TZ", "EST5", 1), 0);
	assert_string_equal(text_time(1700000000 * SECOND).s, "2023-11-14 17:13:20 EST");
	assert_string_equal(text_clock(1700000000 * SECOND + 999999).s, "11-14 17:13:20");
}

TEST(axis_has_the_unit_of_its_largest_value)
{
	static const struct {
		enum figure_unit unit;
		bool rate;
		double largest, by;
		const char *name;
	} cases[] = {
		{ UNIT_BYTES, false, 512, 1, "B" }, { UNIT_BYTES, false, 0x1p31, 0x1p-30, "GiB" },
		{ UNIT_BYTES, true, 0x1p20, 0x1p-20, "MiB/s" },
		{ UNIT_COUNT, false, 999999, 1, "" }, { UNIT_COUNT, false, 1e6, 1e-6, "M" },
		{ UNIT_COUNT, true, 4e6, 1e-6, "M/s" }, { UNIT_JOULES, true, 2000, 1e-3, "kW" },
		{ UNIT_JOULES, false, 2000, 1e-3, "kJ" }, { UNIT_SECONDS, true, 64, 1, "s/s" },
		{ UNIT_SECONDS, false, 7200, 1, "s" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct axis a = axis_of(cases[i].unit, cases[i].rate, cases[i].largest);
		assert_string_equal(a.unit, cases[i].name);
		assert_true(fabs(a.by / cases[i].by - 1) < 1e-12);
	}
}

TEST(derived_bytes_have_an_axis_in_units_of_1024)
{
	static const struct {
		const char *unit, *shown;
		double by;
	} cases[] = {
		{ "kB", "KiB", 1000. / 1024 }, { "MB/s", "MiB/s", 1e6 / 1048576 },
		{ "GB/s", "GiB/s", 1e9 / 0x1p30 }, { "GF/s", "GF/s", 1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct derived d = { .unit = cases[i].unit };
		struct axis a = axis_of_derived(&d);
		assert_string_equal(a.unit, cases[i].shown);
		assert_true(fabs(a.by / cases[i].by - 1) < 1e-12);
	}
}

TEST(name_that_is_too_wide_ends_in_a_plus_sign)
{
	static const struct {
		const char *name;
		size_t width;
		const char *text;
	} cases[] = {
		{ "", 4, "" }, { "abcd", 4, "abcd" }, { "abcde", 4, "abc+" },
		{ "a\x1b[b", 9, "a?[b" },
		{ "\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\xc3\xa4\xc3\xb6\xc3\xbc" },
		{ "\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\xc3\xa4+" },
		/* two characters of two columns each */
		{ "\xe4\xb8\xad\xe6\x96\x87", 3, "\xe4\xb8\xad+" },
		{ "0123456789012345678901234567890123456789abcdefg", 99,
		  "0123456789012345678901234567890123456789abcdefg" },
		{ "0123456789012345678901234567890123456789abcdefgh", 99,
		  "0123456789012345678901234567890123456789abcdef+" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(text_name(str_of(cases[i].name), cases[i].width).s,
				    cases[i].text);
}

int main(void)
{
	RUN(cmocka_unit_test(number_has_about_four_digits_and_a_unit),
	    cmocka_unit_test(rate_has_a_unit_per_second_and_cpu_time_is_percent),
	    cmocka_unit_test(percentage_below_1_has_a_digit_more),
	    cmocka_unit_test(duration_is_rounded_to_seconds_from_a_minute_on),
	    cmocka_unit_test(time_is_local),
	    cmocka_unit_test(axis_has_the_unit_of_its_largest_value),
	    cmocka_unit_test(derived_bytes_have_an_axis_in_units_of_1024),
	    cmocka_unit_test(name_that_is_too_wide_ends_in_a_plus_sign));
}
