/* SPDX-License-Identifier: BSD-3-Clause */
/* test_utf8.c - make text of other users safe for terminals, spreadsheets and receivers */
#include "tests/unit/test.h"
#include "base/csv.h"
#include "base/utf8.h"

TEST(characters_are_taken_and_other_bytes_one_by_one)
{
	struct str s = STR("a\xc3\xa9\xff\xe2\x82"), c;
	static const struct {
		bool good;
		size_t n;
	} want[] = { { true, 1 }, { true, 2 }, { false, 1 }, { false, 1 }, { false, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(utf8_take(&s, &c), want[i].good);
		assert_int_equal(c.n, want[i].n);
	}
	assert_int_equal(s.n, 0);
}

TEST(output_cannot_control_a_terminal_or_reverse_the_text)
{
	static const struct {
		struct str in;
		const char *out;
	} cases[] = {
		{ STR("\x1b]0;title\x07"), "?]0;title?" },
		{ STR("\xc2\x9b" "31m\xc2\xa0"), "??31m\xc2\xa0" }, /* control C1, no-break space */
		{ STR("a\xe2\x80\xae" "b"), "a???b" },	/* right-to-left override */
		{ STR("a\xe2\x81\xa6\xe2\x81\xa9"), "a??????" },	/* isolates of direction */
		{ STR("\xd8\x9c\xe2\x80\x8e"), "?????" },	/* direction marks */
		{ STR("\xe2\x80\xa8\xe2\x80\xa9"), "??????" },	/* line and paragraph separators */
		/* joiner and Hebrew letter */
		{ STR("\xe2\x80\x8d\xd7\xa9"),       "\xe2\x80\x8d\xd7\xa9" },
		{ STR("\xff\n"),                     "??"             },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[64] = "";
		memcpy(text, cases[i].in.p, cases[i].in.n);
		utf8_make_printable(text, cases[i].in.n);
		assert_string_equal(text, cases[i].out);
	}
}

TEST(lines_keep_their_ends)
{
	char text[] = "a\x1b\nb\x7f\n\nc";
	utf8_make_lines_printable(text, strlen(text));
	assert_string_equal(text, "a?\nb?\n\nc");
}

TEST(output_is_utf8)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	utf8_put(&b, STR("\xc3\xa9\xff\xe2\x82z"));
	assert_true(str_eq(buf_str(&b), STR("\xc3\xa9???z")));
	assert_true(utf8_is_all(buf_str(&b)));
	assert_false(utf8_is_all(STR("a\xff")));
}

TEST(text_is_measured_in_columns_and_cut_between_characters)
{
	static const struct {
		const char *text;
		/*
		 * width in columns; bytes that fit in 5 columns; bytes that fit in 8 bytes with a
		 * NUL
		 */
		size_t columns, fit_5, copy_8;
	} cases[] = {
		{ "", 0, 0, 0 }, { "Gr\xc3\xb6\xc3\x9f" "e", 5, 7, 7 },
		{ "\xe6\xa8\xa1\xe6\x8b\x9f\xe6\xa8\xa1", 6, 6, 6 },
		{ "abcde\xcc\x81" "fgh", 8, 7, 7 }, { "\xf0\x9f\x98\x80\xf0\x9f\x98\x80", 4, 8, 4 },
		{ "a\xff\xff" "bcdef", 8, 5, 7 },
	};
	char to[8];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(utf8_columns(str_of(cases[i].text)), cases[i].columns);
		assert_int_equal(utf8_fit(str_of(cases[i].text), 5), cases[i].fit_5);
		utf8_copy(to, sizeof(to), str_of(cases[i].text));
		assert_int_equal(strlen(to), cases[i].copy_8);
		assert_memory_equal(to, cases[i].text, cases[i].copy_8);
	}
}

TEST(a_cell_is_never_a_formula)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "=1+1",          "'=1+1"          }, { "@SUM(A1)", "'@SUM(A1)" },
		{ "+cmd|' /C x'!A", "'+cmd|' /C x'!A" }, { "-2+3",   "'-2+3"     },
		{ "=a,\"b\"",      "\"'=a,\"\"b\"\"\"" },
		{ "-",             "-"              }, { "-12.5",    "-12.5"     },
		{ "+7",            "+7"             }, { "job=1",    "job=1"     }, { "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		csv_cell(&b, str_of(cases[i].in));
		csv_end(&b);
		b.p[b.n - 1] = '\0';
		assert_string_equal(b.p, cases[i].out);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(characters_are_taken_and_other_bytes_one_by_one),
	    cmocka_unit_test(output_cannot_control_a_terminal_or_reverse_the_text),
	    cmocka_unit_test(lines_keep_their_ends),
	    cmocka_unit_test(output_is_utf8),
	    cmocka_unit_test(text_is_measured_in_columns_and_cut_between_characters),
	    cmocka_unit_test(a_cell_is_never_a_formula));
}
