/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sides.c - decide whether two sets of runs differ by more than their spread */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>
#include "report/compare/sides.h"

static size_t measure_of(const char *name)
{
	size_t i = 0;
	while (strcmp(measures[i].name, name) != 0)
		i++;
	return i;
}

/* Return the mean and the sum of squared deviations of the values that precede the first 0. */
static struct sample sample_of(const double values[4])
{
	struct sample s = { .n = 0 };
	for (; s.n < 4 && values[s.n] > 0; s.n++)
		s.mean += values[s.n];
	s.mean /= s.n ? (double)s.n : 1;
	for (size_t i = 0; i < s.n; i++)
		s.squares += (values[i] - s.mean) * (values[i] - s.mean);
	return s;
}

TEST(sets_of_runs_differ_by_more_than_5_percent_and_than_chance)
{
	static const struct {
		double a[4], b[4];
		bool differ;
	} cases[] = {
		{ { 100, 100 }, { 104, 104 }, false },
		{ { 100, 100 }, { 106, 106 }, true },
		{ { 106, 106 }, { 100, 100 }, true },
		/* limit of Student's t with 2 degrees of freedom: 9.92 */
		{ { 100, 140 }, { 130, 170 }, false },
		/* limit of Student's t with 1 degree of freedom: 63.66 */
		{ { 100 }, { 200, 201 }, true },
		{ { 100 }, { 200, 203 }, false },
		/* the difference is below a second */
		{ { 10, 10.5 }, { 10.9, 11 }, false },
		/* no verdict, because b has no known value */
		{ { 100, 100 }, { 0 }, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct side side[2] = { { .runs = 2 }, { .runs = 2 } };
		side[0].of[MEASURE_LENGTH] = sample_of(cases[i].a);
		side[1].of[MEASURE_LENGTH] = sample_of(cases[i].b);
		if (sides_differ(side, MEASURE_LENGTH) != cases[i].differ)
			fail_msg("case %zu", i);
	}
}

TEST(single_runs_differ_by_more_than_their_nodes_but_in_length)
{
	static const double narrow[] = { 100, 101, 99, 100 }, wide[] = { 10, 190, 10, 190 };
	const size_t m = measure_of("cpus_given");
	const size_t both[] = { m, MEASURE_LENGTH };
	for (size_t i = 0; i < ARRAY_SIZE(both); i++)
		for (int spread = 0; spread < 2; spread++) {
			struct side side[2] = { { .runs = 1 }, { .runs = 1 } };
			for (size_t k = 0; k < 2; k++) {
				side[k].nodes[both[i]] = sample_of(spread ? wide : narrow);
				side[k].of[both[i]] = (struct sample){ 1, k ? 150 : 100, 0 };
			}
			bool differ = sides_differ(side, both[i]);
			assert_int_equal(differ, both[i] == MEASURE_LENGTH || !spread);
		}
}

/*
 * If the run's value is a sum over four nodes, the value spreads more than the values of single
 * nodes.
 */
TEST(the_spread_of_nodes_is_scaled_to_the_value_of_the_run)
{
	static const double nodes[] = { 100, 120, 80, 100 };
	const size_t m = measure_of("cpus_given");
	for (int scale = 1; scale <= 4; scale += 3) {
		struct side side[2] = { { .runs = 1 }, { .runs = 1 } };
		for (size_t k = 0; k < 2; k++) {
			side[k].nodes[m] = sample_of(nodes);
			side[k].of[m] = (struct sample){ 1, 100 * scale + 100 * (double)k, 0 };
		}
		assert_int_equal(sides_differ(side, m), scale == 1);
	}
}

TEST(spread_needs_two_runs_and_is_of_the_sample)
{
	static const double values[4] = { 100, 104, 96 };
	struct side s = { .of[MEASURE_LENGTH] = sample_of(values) };
	assert_true(fabs(side_spread(&s, MEASURE_LENGTH) - 4) < 1e-9);
	s.of[MEASURE_LENGTH].n = 1;
	assert_true(isnan(side_spread(&s, MEASURE_LENGTH)));
	s.of[MEASURE_LENGTH].n = 0;
	assert_true(isnan(side_mean(&s, MEASURE_LENGTH)));
}

TEST(the_file_system_with_most_bytes_is_the_one_that_was_used)
{
	const size_t lustre = measure_of("lustre"), nfs = measure_of("nfs");
	const size_t network = measure_of("network");
	struct side s = { .runs = 1 };
	double least = measures[nfs].least;
	s.of[network] = (struct sample){ 1, 1000 * least, 0 };	/* network, but no file system */
	s.of[nfs] = (struct sample){ 1, least * .99, 0 };
	assert_int_equal(side_files(&s), MEASURES);
	s.of[nfs].mean = least;
	assert_int_equal(side_files(&s), nfs);
	s.of[lustre] = (struct sample){ 1, 2 * least, 0 };
	assert_int_equal(side_files(&s), lustre);
	s.of[nfs].mean = 3 * least;
	assert_int_equal(side_files(&s), nfs);
}

static void set_one(struct side side[2], size_t m, double a, double b)
{
	side[0].of[m] = (struct sample){ 1, a, 0 };
	side[1].of[m] = (struct sample){ 1, b, 0 };
}

TEST(differences_that_explain_the_longer_run_come_first)
{
	const size_t clock = measure_of("clock"), cpi = measure_of("cpi");
	const size_t kernel = measure_of("kernel"), nodes = measure_of("nodes");
	struct side side[2] = { { .runs = 1 }, { .runs = 1 } };
	set_one(side, MEASURE_LENGTH, 100, 200);
	set_one(side, nodes, 1, 2);	/* more nodes do not explain a longer run */
	set_one(side, clock, 3, 2.5);
	set_one(side, kernel, 10, 60);
	set_one(side, cpi, 1, 2);
	const struct differences d = sides_compare(side);
	static const bool fits[] = { true, true, true, false };
	const size_t order[] = { kernel, clock, cpi, nodes };
	assert_int_equal(d.n, ARRAY_SIZE(order));
	for (size_t i = 0; i < d.n; i++) {
		assert_int_equal(d.of[i].measure, order[i]);
		assert_int_equal(d.of[i].fits, fits[i]);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(sets_of_runs_differ_by_more_than_5_percent_and_than_chance),
	    cmocka_unit_test(single_runs_differ_by_more_than_their_nodes_but_in_length),
	    cmocka_unit_test(the_spread_of_nodes_is_scaled_to_the_value_of_the_run),
	    cmocka_unit_test(spread_needs_two_runs_and_is_of_the_sample),
	    cmocka_unit_test(the_file_system_with_most_bytes_is_the_one_that_was_used),
	    cmocka_unit_test(differences_that_explain_the_longer_run_come_first));
}
