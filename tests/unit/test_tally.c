/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tally.c - add up a node's values over its samples: means, peaks, boots and marks */
#include "tests/unit/test.h"

#include <string.h>
#include "base/base.h"
#include "figures/tally.h"

#define SECOND INT64_C(1000000)

enum { POWER, COUNT, LIMIT, ADDED, N };
static const struct figure rows[N] = {
	[POWER] = { .type = "t", .key = "power", .how = FIGURE_MEAN },
	[COUNT] = { .type = "t", .key = "count", .how = FIGURE_COUNTED },
	[LIMIT] = { .type = "t", .key = "limit", .how = FIGURE_LIMIT },
	[ADDED] = { .type = "t", .key = "added", .how = FIGURE_ADDED },
};

/* Add a sample with one device of type t, taken s seconds after the first sample. */
static void sample(struct tally *t, int64_t s, bool edge, uint64_t power, uint64_t count)
{
	static const struct record_key keys[N] = {
		{ "power", "", GAUGE, 64, 1, "", false },
		{ "count", "", COUNTER, 64, 1, "", false },
		{ "limit", "", GAUGE, 64, 1, "", false },
		{ "added", "", GAUGE, 64, 1, "", false },
	};
	static const struct record_type type = { "t", keys, N };
	const uint64_t value[N] = { power, count, 100 + power, power };
	const struct record_row row = { .device = STR("0"), .value = value };
	const struct record_rows of = { &type, &row, 1 };
	const struct record r = { .usec = (1700000000 + s) * SECOND, .rows = &of, .n_types = 1,
				  .n_rows = 1 };
	tally_record(t, &r, edge);
}

static struct tally *begin(void)
{
	return tally_new(STR("7"), (struct figures){ rows, N }, NULL);
}

static void assert_near(double got, double want)
{
	if (!(got > want - 1e-6 && got < want + 1e-6))
		fail_msg("%.9g, not %.9g", got, want);
}

TEST(a_boot_ends_an_interval_and_restarts_counters)
{
	struct tally *t = begin();
	struct value v[N] = { { .seen = false } };
	sample(t, 0, false, 10, 100);
	sample(t, 10, false, 10, 150);
	tally_boot(t);
	sample(t, 1000, false, 20, 30);
	sample(t, 1010, false, 20, 40);
	tally_peek(t, v);
	assert_near(v[POWER].weight, 20);	/* the time in which the node was off is left out */
	assert_near(v[POWER].area, 300);
	assert_near(value_of(&rows[POWER], &v[POWER]), 15);
	assert_near(v[COUNT].n, 50 + 30 + 10);
	assert_near(v[LIMIT].n, 120);
	assert_near(v[ADDED].n, 10 + 20 + 20);	/* the first value covers the time before the job */
	tally_free(t);
}

TEST(samples_at_an_edge_only_end_an_interval)
{
	struct tally *t = begin();
	struct value v[N] = { { .seen = false } };
	sample(t, 0, true, 100, 5);
	assert_int_equal(tally_samples(t), 1);
	tally_peek(t, v);
	assert_true(value_only_at_edges(&v[POWER]));
	sample(t, 10, false, 10, 6);
	sample(t, 20, true, 30, 9);
	memset(v, 0, sizeof(v));
	tally_peek(t, v);
	assert_int_equal(v[POWER].edges, 2);
	assert_int_equal(v[POWER].samples, 1);
	assert_near(v[POWER].area, 550 + 200);
	assert_near(v[POWER].low, 100 + 100);
	assert_near(v[POWER].high, 1000 + 300);
	assert_near(v[COUNT].n, 4);
	assert_near(v[ADDED].n, 10 + 30);
	tally_free(t);
}

TEST(samples_before_a_clear_do_not_count)
{
	struct tally *t = begin();
	struct value v[N] = { { .seen = false } };
	sample(t, 0, false, 50, 100);
	sample(t, 10, false, 50, 200);
	tally_clear(t);
	assert_int_equal(tally_samples(t), 0);
	sample(t, 20, false, 10, 300);
	sample(t, 30, false, 10, 301);
	tally_peek(t, v);
	assert_near(v[COUNT].n, 1);
	assert_near(v[POWER].weight, 10);
	assert_near(v[POWER].area, 100);
	assert_near(v[ADDED].n, 10);
	tally_free(t);
}

TEST(marks_restart_the_counters_that_they_name)
{
	static const struct {
		const char *mark;
		double n;
		uint32_t missing;
	} cases[] = {
		{ "counters_restart t", 10 + 2, 1 },
		{ "counters_restart t 0", 10 + 2, 1 },
		{ "counters_restart t 1", 10 + 940 + 2, 0 },	/* mark for another device */
		{ "counters_restart u", 10 + 940 + 2, 0 },
		{ "begin 7 source=hook", 10 + 940 + 2, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mark m = mark_parse(str_of(cases[i].mark));
		const struct record r = { .mark = &m, .n_marks = 1 };
		struct tally *t = begin();
		struct value v[N] = { { .seen = false } };
		sample(t, 0, false, 1, 50);
		sample(t, 10, false, 1, 60);
		tally_marks(t, &r);
		sample(t, 20, false, 1, 1000);
		sample(t, 30, false, 1, 1002);
		tally_peek(t, v);
		if (v[COUNT].n != cases[i].n || v[COUNT].steps[DELTA_MISSING] != cases[i].missing)
			fail_msg("%s: %g, %u missing", cases[i].mark, v[COUNT].n,
				 v[COUNT].steps[DELTA_MISSING]);
		tally_free(t);
	}
}

TEST(only_devices_that_match_count)
{
	static const struct {
		const char *device;
		bool counts;
	} cases[] = { { "0", true }, { "[0-3]", true }, { "1", false }, { "0?", false } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tally *t = tally_new(STR("7"), (struct figures){ rows, N }, cases[i].device);
		struct value v[N] = { { .seen = false } };
		sample(t, 0, false, 1, 50);
		sample(t, 10, false, 1, 60);
		tally_peek(t, v);
		assert_int_equal(v[COUNT].seen, cases[i].counts);
		assert_int_equal(v[POWER].seen, cases[i].counts);
		tally_free(t);
	}
}

/*
 * The newest value of a limit counts. A cgroup without a limit shows a huge number (NO_LIMIT),
 * which replaces no limit.
 */
TEST(a_limit_is_the_newest_one_that_is_set)
{
	static const struct {
		double sum[3], want;
	} cases[] = {
		{ { 5, 9, 7 }, 7 }, { { NO_LIMIT, 9, NO_LIMIT }, 9 },
		{ { NO_LIMIT, NO_LIMIT, NO_LIMIT }, NO_LIMIT },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct value v = { .seen = false }, more = v;
		struct value_before before = { 0 };
		for (int k = 0; k < 3; k++)
			value_take(&v, &before, FIGURE_LIMIT,
				   &(struct value_sample){ cases[i].sum[k], k + 1 });
		assert_near(v.n / cases[i].want, 1);
		value_add(&rows[LIMIT], &more, &v);
		assert_near(more.n / cases[i].want, 1);
	}
}

TEST(a_peak_of_the_job_itself_counts_at_an_edge_unless_it_is_0)
{
	static const struct {
		bool own;
		double sum;
		bool seen;
	} cases[] = { { true, 5, true }, { true, 0, false }, { false, 5, false } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct value v = { .seen = false };
		struct value_before before = { 0 };
		value_take(&v, &before, FIGURE_PEAK,
			   &(struct value_sample){ cases[i].sum, 1, true, cases[i].own });
		assert_int_equal(v.seen, cases[i].seen);
		assert_int_equal(v.edges, 1);
	}
}

/* value_add() sums the values of two runs on a node. */
TEST(values_of_two_runs_add_up)
{
	const struct value a = {
		.seen = true, .n = 5, .inferred = 1, .withheld = 2, .steps = { 1, 2, 3, 4, 5 },
		.resets = 1, .to_0 = 1, .late = 1, .gone = 1, .gone_usec = 70, .reopened = 1,
		.saturated = 1, .resetting = 1, .beyond = 1, .below_0 = 1, .doubles = 1,
		.at_least = 1, .devices = 4, .other_events = 1,
	};
	struct value b = { .seen = false, .gone_usec = 80, .devices = 3 };
	value_add(&rows[COUNT], &b, &a);
	value_add(&rows[COUNT], &b, &a);
	assert_true(b.seen);
	assert_near(b.n + b.inferred + b.withheld, 16);
	for (int h = 0; h < DELTA_HOWS; h++)
		assert_int_equal(b.steps[h], 2 * (h + 1));
	assert_int_equal(b.resets + b.to_0 + b.late + b.gone + b.reopened + b.saturated +
			 b.resetting + b.beyond + b.below_0 + b.doubles + b.at_least +
			 b.other_events, 24);
	assert_int_equal(b.gone_usec, 80);	/* the larger value is kept */
	assert_int_equal(b.devices, 4);		/* the larger value is kept */
	assert_false(value_known(&b));
	assert_true(value_known(&(struct value){ .seen = true, .below_0 = 1 }));
	assert_true(value_unknown(&(struct value){ .below_0 = 1 }));
}

int main(void)
{
	RUN(cmocka_unit_test(a_boot_ends_an_interval_and_restarts_counters),
	    cmocka_unit_test(samples_at_an_edge_only_end_an_interval),
	    cmocka_unit_test(samples_before_a_clear_do_not_count),
	    cmocka_unit_test(marks_restart_the_counters_that_they_name),
	    cmocka_unit_test(only_devices_that_match_count),
	    cmocka_unit_test(a_limit_is_the_newest_one_that_is_set),
	    cmocka_unit_test(a_peak_of_the_job_itself_counts_at_an_edge_unless_it_is_0),
	    cmocka_unit_test(values_of_two_runs_add_up));
}
