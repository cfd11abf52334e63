/* SPDX-License-Identifier: BSD-3-Clause */
/* test_buf.c - append numbers, times and words to a growable buffer */
#include "tests/unit/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include "base/buf.h"

static void prints(uint64_t v)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char want[32];
	int n = snprintf(want, sizeof(want), "%" PRIu64, v);
	buf_add_u64(&b, v);
	assert_int_equal(b.n, n);
	assert_memory_equal(b.p, want, b.n);
}

TEST(numbers_of_every_length_are_printed)
{
	uint64_t power = 1;
	for (int digits = 1; digits <= 20; digits++, power *= 10) {
		prints(power - 1);
		prints(power);
		prints(power + 1);
		prints(power / 2 * 3);
	}
	for (int bit = 0; bit < 64; bit++)
		prints((uint64_t)1 << bit);
	prints(UINT64_MAX);
}

TEST(time_has_no_more_decimals_than_it_needs)
{
	static const struct {
		int64_t usec;
		const char *want;
	} cases[] = {
		{ 0, "0" },
		{ 1, "0.000001" },
		{ 999999, "0.999999" },
		{ 1000000, "1" },
		{ 1307509201000000, "1307509201" },
		{ 1307509201250000, "1307509201.25" },
		{ 1307509201000010, "1307509201.00001" },
		{ 1307509201100000, "1307509201.1" },
		{ INT64_MAX, "9223372036854.775807" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		buf_add_time(&b, cases[i].usec);
		assert_text(buf_str(&b), str_of(cases[i].want));

		struct str text = buf_str(&b);
		int64_t usec = -1;
		assert_true(str_take_time(&text, &usec) || cases[i].usec == INT64_MAX);
		assert_true(usec == cases[i].usec || cases[i].usec == INT64_MAX);
	}
}

TEST(word_decodes_to_its_original_text)
{
	static const char *const texts[] = {
		"a", "Gr\303\266\303\237e \346\250\241", "a\\040b", "\x1b\n\xff",
	};
	static const char *const no_escapes[] = {
		"a\\", "\\04", "\\4000", "\\08a", "a\\000b", "\\\\",
	};
	struct buf word CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		word.n = text.n = 0;
		buf_add_word(&word, str_of(texts[i]), false);
		buf_add_unescaped(&text, buf_str(&word));
		assert_true(str_eq(buf_str(&text), str_of(texts[i])));
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_escapes); i++) {
		text.n = 0;
		buf_add_unescaped(&text, str_of(no_escapes[i]));
		assert_true(str_eq(buf_str(&text), str_of(no_escapes[i])));
	}
}

TEST(contents_survive_growth)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.n, 10 * 2 + 90 * 3 + 900 * 4);
	assert_memory_equal(b.p, "0,1,2,", 6);
	assert_memory_equal(b.p + b.n - 4, "999,", 4);
}

int main(void)
{
	RUN(cmocka_unit_test(numbers_of_every_length_are_printed),
	    cmocka_unit_test(time_has_no_more_decimals_than_it_needs),
	    cmocka_unit_test(word_decodes_to_its_original_text),
	    cmocka_unit_test(contents_survive_growth));
}
