/* SPDX-License-Identifier: BSD-3-Clause */
/* test_node_schema.c - which keys of a type go into the schema */
#include "tests/unit/test.h"
#include <string.h>
#include "base/base.h"
#include "schema/node_schema.h"

static const struct metric metrics[70] = { { "key" } };

/* Fills rows from words: a letter for each key of a row. */
static void fill(struct rows *r, const char *rows)
{
	struct str text = str_of(rows), word;
	rows_init(r, metrics, ARRAY_SIZE(metrics));
	while (str_take_word(&text, &word)) {
		struct row row = rows_add(r, STR("device"));
		for (size_t i = 0; word.p[i] != '-' && i < word.n; i++)
			row_set(row, word.p[i] == 'z' ? 69 : (size_t)(word.p[i] - 'a'), 1);
	}
}

TEST(the_schema_keeps_the_most_values)
{
	static const struct {
		const char *rows, *schema;
	} cases[] = {
		{ "abc",               "abc"    },
		{ "abc abc",           "abc"    },
		{ "abc abc abc ab",    "abc"    },	/* nine values against eight */
		{ "abcd ab ab",        "ab"     },	/* two kinds of card: what they share */
		{ "abcdefgh abcdefgh ab", "abcdefgh" },	/* a broken port does not cost the others */
		{ "abz abz",           "abz"    },	/* beyond the first word */
		{ "ab cd",             "ab"     },	/* nothing in common */
		{ "- ab",              "ab"     },	/* nothing read at all */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rows r CLEANUP(rows_free), want CLEANUP(rows_free);
		uint64_t mask[2];
		fill(&r, cases[i].rows);
		fill(&want, cases[i].schema);
		schema_fit(&r, mask);
		if (memcmp(mask, rows_present(&want, 0), sizeof(mask)) != 0)
			fail_msg("%s: not %s", cases[i].rows, cases[i].schema);
	}
}

TEST(of_equals_the_one_with_more_rows_wins)
{
	struct rows r CLEANUP(rows_free);
	uint64_t mask[2];
	fill(&r, "abcd ab");	/* a row of four, or two of two */
	schema_fit(&r, mask);
	assert_int_equal(mask[0], 3);
	assert_true(row_has_all(&r, 1, mask));
}

TEST(many_kinds_of_device_are_no_harm)
{
	struct rows r CLEANUP(rows_free);
	uint64_t mask[2];
	fill(&r, "ab ac ad ae af ag ah ai aj ak al am an");
	schema_fit(&r, mask);
	assert_int_equal(mask[0], 1);
}

int main(void)
{
	RUN(cmocka_unit_test(the_schema_keeps_the_most_values),
	    cmocka_unit_test(of_equals_the_one_with_more_rows_wins),
	    cmocka_unit_test(many_kinds_of_device_are_no_harm));
}
