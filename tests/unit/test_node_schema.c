/* SPDX-License-Identifier: BSD-3-Clause */
/* test_node_schema.c - choose the keys of a type for the schema */
#include "tests/unit/test.h"
#include <string.h>
#include "base/base.h"
#include "schema/node_schema.h"

static const struct metric metrics[70] = { { "key" } };

/* Fill rows from words: one word for each row, one letter for each of its keys, "-" for no key. */
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

/*
 * Check the keys of the type, and the keys of each kind of device that lacks some. schema: both as
 * words for fill(), the type first.
 */
static void assert_schema(const uint64_t *mask, const struct schema_kinds *kinds,
			  const char *schema)
{
	struct rows want CLEANUP(rows_free);
	fill(&want, schema);
	assert_int_equal(1 + kinds->n, want.n);
	assert_memory_equal(mask, rows_present(&want, 0), 2 * sizeof(*mask));
	for (size_t i = 0; i < kinds->n; i++)
		assert_memory_equal(kinds->mask + 2 * i, rows_present(&want, 1 + i),
				    2 * sizeof(*mask));
}

TEST(no_key_of_any_device_is_lost)
{
	static const struct {
		const char *rows, *schema;
	} cases[] = {
		{ "abc",               "abc"       },
		{ "abc abc",           "abc"       },
		{ "abc abc abc ab",    "abc ab"    },	/* a GPU in MIG mode */
		{ "abcd ab ab",        "abcd ab"   },	/* two kinds of card */
		{ "abcd abc abd abc",  "abcd abc abd" },
		{ "abz abz ab",        "abz ab"    },	/* key z is in the mask's second word */
		{ "ab cd",             "abcd ab cd" },	/* the devices have no key in common */
		{ "- ab",              "ab"        },	/* the first device has no key */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rows r CLEANUP(rows_free);
		uint64_t mask[2] = { 0 }, kind[2 * SCHEMA_KINDS];
		struct schema_kinds kinds = { kind, 0 };
		fill(&r, cases[i].rows);
		assert_true(schema_fit(&r, mask, &kinds));
		assert_schema(mask, &kinds, cases[i].schema);
		assert_false(schema_fit(&r, mask, &kinds));
	}
}

TEST(a_kind_stays_until_the_keys_of_the_type_change)
{
	uint64_t mask[2] = { 0 }, kind[2 * SCHEMA_KINDS];
	struct schema_kinds kinds = { kind, 0 };
	static const struct {
		const char *rows, *schema;
		bool changes;
	} steps[] = {
		{ "abc abc", "abc",       true  },
		{ "abc ab",  "abc ab",    true  },
		{ "abc abc", "abc ab",    false },
		{ "abc ac",  "abc ab ac", true  },
		{ "ac ac",   "ac",        true  },
	};
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct rows r CLEANUP(rows_free);
		fill(&r, steps[i].rows);
		assert_int_equal(schema_fit(&r, mask, &kinds), steps[i].changes);
		assert_schema(mask, &kinds, steps[i].schema);
	}
}

TEST(a_row_is_of_the_kind_with_the_most_keys)
{
	struct rows r CLEANUP(rows_free);
	uint64_t mask[2] = { 0 }, kind[2 * SCHEMA_KINDS];
	struct schema_kinds kinds = { kind, 0 };
	fill(&r, "abcdefghij a ab ac ad ae af ag ah abi b");
	schema_fit(&r, mask, &kinds);
	assert_int_equal(kinds.n, SCHEMA_KINDS);
	assert_int_equal(schema_kind_of(&r, 2, &kinds), 1);
	assert_int_equal(schema_kind_of(&r, 9, &kinds), 1);	/* no room for another kind */
	assert_int_equal(schema_kind_of(&r, 10, &kinds), kinds.n);
}

int main(void)
{
	RUN(cmocka_unit_test(no_key_of_any_device_is_lost),
	    cmocka_unit_test(a_kind_stays_until_the_keys_of_the_type_change),
	    cmocka_unit_test(a_row_is_of_the_kind_with_the_most_keys));
}
