/* SPDX-License-Identifier: BSD-3-Clause */
/* test_foreign.c - translate names of types, keys and units in the files of other agents */
#include "tests/unit/tree.h"

#include "base/base.h"
#include "schema/foreign.h"
#include "schema/metric.h"

TEST(type_names_are_translated)
{
	static const char *const cases[][2] = {
		{ "lustre_llite", "llite" }, { "host_lustre_mdc", "mdc" }, { "host_mem", "mem" },
		{ "intel_x86_rapl", "intel_rapl" }, { "amd_x86_pmc", "amd64_pmc" },
		{ "llite", "llite" }, { "host", "host" }, { "host_", "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_text(foreign_type(str_of(cases[i][0])), str_of(cases[i][1]));
}

TEST(key_names_are_translated)
{
	static const char *const cases[][3] = {
		{ "llite", "vfs_osc_read_bytes", "osc_read" },
		{ "llite", "vfs_read_bytes",     "read_bytes" },
		{ "llite", "vfs_open_ops",       "open" },
		/* An empty text does not match the "*" of vfs_*_ops. */
		{ "llite", "vfs__ops",           "vfs__ops" },
		{ "llite", "vfs_x_ops",          "x" },
		{ "llite", "open",               "open" },
		{ "mdc",   "vfs_open_ops",       "vfs_open_ops" },
		{ "nvidia_gpu", "gpu_nvlink_rx_bytes", "nvlink_rx" },
		{ "amd64_pmc", "instr_retired",  "INST_RETIRED" },
		{ "amd64_pmc", "instr_retired2", "instr_retired2" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		foreign_key(str_of(cases[i][0]), str_of(cases[i][1]), &b);
		assert_text(buf_str(&b), str_of(cases[i][2]));
	}
}

TEST(case_and_underscores_of_a_key_do_not_matter)
{
	static const struct {
		const char *type, *theirs, *ours;
		bool same;
	} cases[] = {
		{ "mem", "mem_used", "MemUsed", true },
		{ "mem", "_MEMUSED_", "MemUsed", true },
		{ "mem", "mem_use", "MemUsed", false },
		{ "mem", "mem_used2", "MemUsed", false },
		{ "llite", "vfs_open_ops", "open", true },
		{ "llite", "vfs_open_ops", "close", false },
		{ "mem", "vfs_open_ops", "open", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (foreign_is_key(str_of(cases[i].type), str_of(cases[i].theirs),
				   str_of(cases[i].ours)) != cases[i].same)
			fail_msg("%s and %s", cases[i].theirs, cases[i].ours);
}

TEST(translated_key_has_our_spelling)
{
	static const char *const cases[][3] = {
		{ "mem", "mem_used", "MemUsed" }, { "mem", "MemUsed", "MemUsed" },
		{ "mem", "other", "other" }, { "llite", "vfs_open_ops", "open" },
		{ "no_such_type", "mem_used", "mem_used" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		buf_add_char(&b, '<');		/* earlier contents are kept */
		foreign_translate_key(str_of(cases[i][0]), str_of(cases[i][1]), &b);
		assert_text(str_skip(buf_str(&b), 1), str_of(cases[i][2]));
	}
}

TEST(key_is_found_by_its_own_name_first)
{
	static const struct record_key keys[] = {
		{ .name = "open_" }, { .name = "vfs_open_ops" }, { .name = "open" },
	};
	const struct record_type t = { "lustre_llite", keys, 3 }, one = { "llite", keys, 2 };
	assert_int_equal(foreign_find(&t, "open"), 2);
	assert_int_equal(foreign_find(&one, "open"), 0);
	assert_int_equal(foreign_find(&t, "close"), -1);
	assert_int_equal(foreign_find(&t, NULL), -1);
}

TEST(unit_may_be_part_of_the_name)
{
	assert_string_equal(foreign_unit(&(struct record_key){ "used_mb", .unit_name = "" }), "MB");
	assert_string_equal(foreign_unit(&(struct record_key){ "used_mb", .unit_name = "KB" }),
			    "KB");
	assert_string_equal(foreign_unit(&(struct record_key){ "used", .unit_name = "" }), "");
}

TEST(unit_is_a_number_and_a_name)
{
	static const struct {
		const char *unit, *name;
		unsigned scale;
	} cases[] = {
		{ "512B", "B", 512 }, { "B", "B", 1 }, { "", "", 1 }, { "0B", "0B", 1 },
		{ " 4B", " 4B", 1 }, { "4294967295B", "B", UINT32_MAX },
		{ "4294967296B", "4294967296B", 1 }, { "4", "", 4 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned scale;
		assert_string_equal(metric_unit_split(cases[i].unit, &scale), cases[i].name);
		assert_int_equal(scale, cases[i].scale);
	}
	assert_string_equal(metric_unit_name("cs"), "hundredths of seconds");
	assert_string_equal(metric_unit_name("%"), "per cent");
	assert_null(metric_unit_name("furlong"));
	assert_string_equal(metric_kind_name(CONTROL), "control");
}

int main(void)
{
	RUN(cmocka_unit_test(type_names_are_translated),
	    cmocka_unit_test(key_names_are_translated),
	    cmocka_unit_test(case_and_underscores_of_a_key_do_not_matter),
	    cmocka_unit_test(translated_key_has_our_spelling),
	    cmocka_unit_test(key_is_found_by_its_own_name_first),
	    cmocka_unit_test(unit_may_be_part_of_the_name),
	    cmocka_unit_test(unit_is_a_number_and_a_name));
}
