/* SPDX-License-Identifier: BSD-3-Clause */
/* test_raw_write.c - write the pieces of a raw file, byte for byte */
#include "tests/unit/tree.h"

#include <string.h>
#include "formats/raw_write.h"

TEST(marks_and_properties_are_one_line)
{
	static const struct {
		struct str in;
		const char *out;
	} cases[] = {
		{ STR("begin 1981063"), "begin 1981063" },
		{ STR(""), "" },
		{ STR("a\nb\rc\td\0e\x1b[31m\x7f"), "a?b?c?d?e?[31m?" },
		{ STR("\n\n1307509201 -\ncpu 0 1"), "??1307509201 -?cpu 0 1" },
		{ STR("z\xc3\xbcrich"), "z\xc3\xbcrich" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 }, want CLEANUP(buf_free) = { 0 };
		raw_put_mark(&b, cases[i].in);
		raw_put_property(&b, "hostname", cases[i].in);
		buf_addf(&want, "%%%s\n$hostname %s\n", cases[i].out, cases[i].out);
		assert_text(buf_str(&b), buf_str(&want));
	}
}

TEST(a_group_begins_with_a_blank_line)
{
	static const struct {
		const char *jobs, *host, *want;
	} cases[] = {
		{ "", "", "\n12.5 -\n" },
		{ "7", "", "\n12.5 7\n" },
		{ "7,8", "", "\n12.5 7,8\n" },
		{ "", "n1.x", "\n12.5 - n1.x\n" },
		{ "7", "n1.x", "\n12.5 7 n1.x\n" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		raw_put_group(&b, 12500000, str_of(cases[i].jobs), str_of(cases[i].host));
		assert_text(buf_str(&b), str_of(cases[i].want));
	}
}

#define CTL(n) { "CTL" #n, CONTROL, "", "" }
#define CTR(n) { "CTR" #n, COUNTER, "", "", .bits = 48 }
#define CS(name) { name, COUNTER, "cs", "" }
static const struct metric pmc[] = {
	CTL(0), CTL(1), CTL(2), CTL(3), CTR(0), CTR(1), CTR(2), CTR(3),
};
static const struct metric cpu[] = {
	CS("user"), CS("nice"), CS("system"), CS("idle"), CS("iowait"), CS("irq"), CS("softirq"),
};
static const struct metric ps[] = {
	{ "ctxt", COUNTER, "", "" }, { "processes", COUNTER, "", "" }, { "load_1", GAUGE, "", "" },
	{ "load_5", GAUGE, "", "" }, { "load_15", GAUGE, "", "" }, { "nr_running", GAUGE, "", "" },
	{ "nr_threads", GAUGE, "", "" },
};

struct seed_type {
	const char *type;
	const struct metric *metrics;
	size_t n;
	const char *device;
	uint64_t value[8];
};
static const struct seed_type seed[] = {
	{ "amd64_pmc", pmc, ARRAY_SIZE(pmc), "11",
	  { 4259958, 4391234, 4423427, 4405240, 235835341001110, 187269740525248, 62227761639015,
	    177902917871843 } },
	{ "cpu", cpu, ARRAY_SIZE(cpu), "11",
	  { 429720418, 0, 1685980, 43516346, 447875, 155, 3443 } },
	{ "ps", ps, ARRAY_SIZE(ps), "-", { 4059349377, 507410, 1600, 1600, 1600, 18, 373 } },
};

static const struct schema_kinds none;

static void put_rows(struct buf *b, const struct seed_type *t, uint64_t mask)
{
	struct rows r CLEANUP(rows_free);
	rows_init(&r, t->metrics, t->n);
	struct row row = rows_add(&r, str_of(t->device));
	for (size_t k = 0; k < t->n; k++)
		row_set(row, k, t->value[k]);
	assert_int_equal(raw_put_rows(b, str_of(t->type), &r, &mask, &none), 1);
}

TEST(the_documents_example_is_printed_byte_for_byte)
{
	static const char want[] =
		"$hpcperfstats 1.0.2\n"
		"$hostname i101-101.ranger.tacc.utexas.edu\n"
		"!amd64_pmc CTL0,C CTL1,C CTL2,C CTL3,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48 "
		"CTR3,E,W=48\n"
		"!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs "
		"softirq,E,U=cs\n"
		"!ps ctxt,E processes,E load_1 load_5 load_15 nr_running nr_threads\n"
		"\n1307509201 1981063\n"
		"%begin 1981063\n"
		"amd64_pmc 11 4259958 4391234 4423427 4405240 235835341001110 187269740525248 "
		"62227761639015 177902917871843\n"
		"cpu 11 429720418 0 1685980 43516346 447875 155 3443\n"
		"ps - 4059349377 507410 1600 1600 1600 18 373\n";
	struct buf b CLEANUP(buf_free) = { 0 };
	raw_put_property(&b, "hpcperfstats", STR("1.0.2"));
	raw_put_property(&b, "hostname", STR("i101-101.ranger.tacc.utexas.edu"));
	for (size_t i = 0; i < ARRAY_SIZE(seed); i++) {
		uint64_t all = ((uint64_t)1 << seed[i].n) - 1;
		raw_put_schema(&b, seed[i].type, seed[i].metrics, seed[i].n, &all);
	}
	raw_put_group(&b, 1307509201000000, STR("1981063"), STR(""));
	raw_put_mark(&b, STR("begin 1981063"));
	for (size_t i = 0; i < ARRAY_SIZE(seed); i++)
		put_rows(&b, &seed[i], ((uint64_t)1 << seed[i].n) - 1);
	assert_text(buf_str(&b), STR(want));
}

TEST(only_keys_of_the_mask_are_printed)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	uint64_t mask = 0x21;
	raw_put_schema(&b, "cpu", cpu, ARRAY_SIZE(cpu), &mask);
	put_rows(&b, &seed[1], mask);
	assert_text(buf_str(&b), STR("!cpu user,E,U=cs irq,E,U=cs\ncpu 11 429720418 155\n"));
}

TEST(a_row_that_lacks_a_key_is_left_out)
{
	struct rows r CLEANUP(rows_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	rows_init(&r, ps, ARRAY_SIZE(ps));
	static const char names[] = "012";
	for (uint64_t i = 0; i < 3; i++) {
		struct row row = rows_add(&r, (struct str){ &names[i], 1 });
		row_set(row, 0, UINT64_MAX);
		if (i != 1)
			row_set(row, 2, i);
	}
	uint64_t mask = 5;
	assert_int_equal(raw_put_rows(&b, STR("ps"), &r, &mask, &none), 2);
	assert_text(buf_str(&b), STR("ps 0 18446744073709551615 0\nps 2 18446744073709551615 2\n"));
}

TEST(masks_of_more_than_one_word_work)
{
	static struct metric many[130];
	struct rows r CLEANUP(rows_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct metric){ "k", GAUGE, "", "" };
	many[129].name = "last";
	rows_init(&r, many, ARRAY_SIZE(many));
	struct row row = rows_add(&r, STR("-"));
	row_set(row, 0, 1);
	row_set(row, 64, 2);
	row_set(row, 129, 3);
	raw_put_schema(&b, "m", many, ARRAY_SIZE(many), rows_present(&r, 0));
	assert_int_equal(raw_put_rows(&b, STR("m"), &r, rows_present(&r, 0), &none), 1);
	assert_text(buf_str(&b), STR("!m k k last\nm - 1 2 3\n"));
}

TEST(rows_may_share_large_numbers)
{
	static const uint64_t v[] = { 99999999, 100000000, 100000000, UINT64_MAX, UINT64_MAX, 10 };
	static const struct metric one = { "k", GAUGE, "", "" };
	struct rows r CLEANUP(rows_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	rows_init(&r, &one, 1);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		row_set(rows_add(&r, STR("a-name-of-18-bytes")), 0, v[i]);
	assert_int_equal(raw_put_rows(&b, STR("m"), &r, &(uint64_t){ 1 }, &none), ARRAY_SIZE(v));
	struct str text = buf_str(&b), line;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		uint64_t got = 0;
		assert_true(str_take_line(&text, &line) &&
			    str_take_prefix(&line, STR("m a-name-of-18-bytes ")) &&
			    str_take_u64(&line, &got) && line.n == 0);
		assert_int_equal(got, v[i]);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(marks_and_properties_are_one_line),
	    cmocka_unit_test(a_group_begins_with_a_blank_line),
	    cmocka_unit_test(the_documents_example_is_printed_byte_for_byte),
	    cmocka_unit_test(only_keys_of_the_mask_are_printed),
	    cmocka_unit_test(a_row_that_lacks_a_key_is_left_out),
	    cmocka_unit_test(masks_of_more_than_one_word_work),
	    cmocka_unit_test(rows_may_share_large_numbers));
}
