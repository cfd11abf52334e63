/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rows.c - keep the values of a type in a sample: names, drops, growth, lower devices */
#include "tests/unit/tree.h"

#include "base/base.h"
#include "schema/rows.h"

static const struct metric metrics[70] = { { "a", GAUGE, "", "" } };

static void assert_device(const struct rows *r, size_t row, const char *want)
{
	assert_text(rows_device(r, row), str_of(want));
}

static void add(struct rows *r, const char *device, uint64_t value)
{
	row_set(rows_add(r, str_of(device)), 0, value);
}

TEST(names_are_escaped_words)
{
	struct rows r CLEANUP(rows_free);
	rows_init(&r, metrics, 1);
	rows_add(&r, STR("sda"));
	rows_add(&r, STR("a b\\"));
	rows_add(&r, STR(""));
	rows_add_escaped(&r, STR("a\\040b"));
	assert_device(&r, 0, "sda");
	assert_device(&r, 1, "a\\040b\\134");
	assert_device(&r, 2, "-");
	assert_device(&r, 3, "a\\040b");
	assert_true(r.name[0].plain);
	assert_false(r.name[1].plain);
}

/* The names of the last sample are kept, so that they need not be built again in each sample. */
TEST(devices_that_change_places_keep_their_own_names)
{
	static const char *const samples[][3] = {
		{ "sda", "sdb", "nvme0n1" }, { "sda", "sdb", "nvme0n1" }, { "sdb", "sda", "sdc" },
		{ "sda", "nvme0n1", "sdb" }, { "nvme0n1", "sda", "sdb" }, { "sda", "sdb", "sdc" },
	};
	struct rows r CLEANUP(rows_free);
	rows_init(&r, metrics, 1);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		rows_clear(&r);
		size_t n = i == 1 ? 2 : 3;	/* the second sample is shorter */
		for (size_t k = 0; k < n; k++)
			add(&r, samples[i][k], i * 10 + k);
		for (size_t k = 0; k < n; k++) {
			assert_device(&r, k, samples[i][k]);
			assert_int_equal(rows_values(&r, k)[0], i * 10 + k);
		}
	}
}

TEST(a_row_that_is_dropped_leaves_nothing)
{
	struct rows r CLEANUP(rows_free);
	rows_init(&r, metrics, 1);
	add(&r, "sda", 1);
	size_t names = r.names.n;
	for (int i = 0; i < 3; i++) {
		add(&r, "sdb", 2);
		rows_drop(&r);
		assert_int_equal(r.n, 1);
		assert_int_equal(r.names.n, names);
	}
	rows_add(&r, STR("sdc"));
	assert_device(&r, 0, "sda");
	assert_device(&r, 1, "sdc");
	assert_false(row_is_set((struct row){ r.value + 1, r.present + 1 }, 0));
}

TEST(rows_that_do_not_fit_move_whole)
{
	struct rows r CLEANUP(rows_free);
	char name[32];
	rows_init(&r, metrics, ARRAY_SIZE(metrics));
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "device%u", i);
		struct row row = rows_add(&r, str_of(name));
		row_set(row, i % 70, i);
		row_add(row, 69, i);
		row_add(row, 69, 1);
	}
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "device%u", i);
		assert_device(&r, i, name);
		assert_int_equal(rows_values(&r, i)[i % 70], i % 70 == 69 ? 2 * i + 1 : i);
		assert_int_equal(rows_values(&r, i)[69], i % 70 == 69 ? 2 * i + 1 : i + 1);
		for (unsigned k = 0; k < 70; k++)
			assert_int_equal(rows_present(&r, i)[k / 64] >> k % 64 & 1,
					 k == i % 70 || k == 69);
	}
}

TEST(the_last_device_is_replaced_when_there_are_too_many)
{
	struct rows r CLEANUP(rows_free);
	rows_init(&r, metrics, 1);
	for (size_t i = 0; i < ROWS_OF_TYPE_MAX; i++)
		add(&r, "x", i);
	size_t names = r.names.n;
	add(&r, "y", 1);
	assert_int_equal(r.n, ROWS_OF_TYPE_MAX);
	assert_int_equal(r.names.n, names);
	assert_device(&r, ROWS_OF_TYPE_MAX - 1, "y");
	assert_device(&r, ROWS_OF_TYPE_MAX - 2, "x");
}

TEST(a_mark_of_opened_counters_is_for_one_row_and_one_sample)
{
	struct rows r CLEANUP(rows_free);
	rows_init(&r, metrics, 1);
	add(&r, "0", 1);
	rows_reopened(&r);
	add(&r, "1", 1);
	assert_true(r.reopened && r.name[0].reopened && !r.name[1].reopened);
	rows_clear(&r);
	add(&r, "0", 1);
	assert_false(r.reopened || r.name[0].reopened);
}

TEST(a_line_names_a_device_and_those_below_it)
{
	struct rows r CLEANUP(rows_free);
	rows_init(&r, metrics, 1);
	rows_stands_on(&r, STR("md0"), STR("sda"), false);
	assert_int_equal(r.below.n, 0); /* no line is kept before the first call of rows_below() */
	rows_below(&r);
	rows_stands_on(&r, STR("md0"), STR("sda"), false);
	rows_stands_on(&r, STR("md0"), STR("sd b"), false);
	rows_stands_on(&r, STR("dm 1"), STR("md0"), false);
	rows_stands_on(&r, STR("dm 1"), STR("md\\0401"), true);
	assert_text(buf_str(&r.below), STR("md0 sda sd\\040b\ndm\\0401 md0 md\\0401\n"));
	assert_true(rows_has_below(&r, STR("md0")));
	assert_true(rows_has_below(&r, STR("dm\\0401")));
	assert_false(rows_has_below(&r, STR("sda")));
	rows_below(&r);
	assert_true(r.below_new && r.below_known);
	assert_int_equal(r.below.n, 0);
	rows_stands_on(&r, STR("md0"), STR("sda"), false);
	rows_below_unknown(&r);
	assert_false(r.below_known || r.below.n);
}

TEST(if_there_are_too_many_lines_all_are_dropped)
{
	struct rows r CLEANUP(rows_free);
	char name[32];
	rows_init(&r, metrics, 1);
	rows_below(&r);
	for (unsigned i = 0; i < (256u << 10) / 16; i++) {	/* each line has 16 bytes */
		snprintf(name, sizeof(name), "md%05u", i);
		rows_stands_on(&r, str_of(name), STR("sdaaaaa"), false);
	}
	assert_int_equal(r.below.n, 256u << 10);
	assert_true(r.below_known);
	rows_stands_on(&r, STR("md"), STR("s"), false);
	assert_false(r.below_known || r.below.n);
}

int main(void)
{
	RUN(cmocka_unit_test(names_are_escaped_words),
	    cmocka_unit_test(devices_that_change_places_keep_their_own_names),
	    cmocka_unit_test(a_row_that_is_dropped_leaves_nothing),
	    cmocka_unit_test(rows_that_do_not_fit_move_whole),
	    cmocka_unit_test(the_last_device_is_replaced_when_there_are_too_many),
	    cmocka_unit_test(a_mark_of_opened_counters_is_for_one_row_and_one_sample),
	    cmocka_unit_test(a_line_names_a_device_and_those_below_it),
	    cmocka_unit_test(if_there_are_too_many_lines_all_are_dropped));
}
