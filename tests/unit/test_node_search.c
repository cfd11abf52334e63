/* SPDX-License-Identifier: BSD-3-Clause */
/* test_node_search.c - find the runs of a job in a node's records, and compute their energy */
#include "tests/unit/test.h"

#include <string.h>
#include "base/base.h"
#include "figures/node.h"

#define SECOND INT64_C(1000000)

/* A record of a node with an ACPI power meter. */
struct moment {
	int64_t second;
	const char *jobs;	/* job ids, separated by commas, or "" */
	const char *mark;	/* text of a mark, or NULL */
	uint64_t watts;
	bool booted;
};

static void take(struct node_search *h, const struct moment *m)
{
	static const struct record_key input = { "input", "uW", GAUGE, 64, 1, "uW", false };
	static const struct record_type hwmon_power = { "hwmon_power", &input, 1 };
	const uint64_t value = m->watts * 1000000;
	const struct record_row row = { .device = STR("hwmon0/power_meter/power1"),
					.value = &value };
	const struct record_rows of = { &hwmon_power, &row, 1 };
	const struct mark mark = mark_parse(str_of(m->mark ? m->mark : ""));
	struct str jobs = str_of(m->jobs), job[4];
	struct below none = { 0 };
	size_t n = 0;
	while (jobs.n && n < ARRAY_SIZE(job)) {
		if (!str_take_until(&jobs, ',', &job[n])) {
			job[n] = jobs;
			jobs.n = 0;
		}
		n++;
	}
	const struct record r = { .usec = m->second * SECOND, .job = job, .n_jobs = n,
				  .mark = &mark, .n_marks = m->mark != NULL, .rows = &of,
				  .n_types = 1, .n_rows = 1, .below = &none };
	node_search_take(h, &r, &(struct node_moment){ .booted = m->booted });
}

/* Find the runs of job 7 in these records. The caller frees the runs. */
static void search(const struct moment *m, size_t n, struct runs *runs)
{
	const struct node_query q = { .job = "7" };
	*runs = (struct runs){ 0 };
	struct node_search *h = node_search_new(&q, "n1", runs);
	node_search_begin_file(h);
	for (size_t i = 0; i < n; i++)
		take(h, &m[i]);
	node_search_end_file(h, 0, false);
	node_search_end(h);
}

static double joules(const struct runs *runs, size_t run)
{
	return runs->run[run].node.course.share[ENERGY_ACPI].of;
}

/* Hooks mark a job that is requeued on the same node as two runs. */
TEST(energy_between_two_runs_of_a_job_belongs_to_neither)
{
	static const struct moment m[] = {
		{ 100, "7", "begin 7", 200 },
		{ 110, "7", NULL, 200 },
		{ 120, "7", "end 7", 200 },
		{ 130, "", NULL, 200 },
		{ 620, "7", "begin 7", 200 },
		{ 630, "7", "end 7", 200 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 2);
	assert_true(joules(&runs, 0) > 3999 && joules(&runs, 0) < 4001);
	assert_true(joules(&runs, 1) > 1999 && joules(&runs, 1) < 2001);
}

TEST(energy_over_a_boot_is_left_out)
{
	static const struct moment m[] = {
		{ 100, "7", "begin 7", 200 },
		{ 110, "7", NULL, 200 },
		{ 500, "7", NULL, 200, true },
		{ 520, "7", "end 7", 200 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.run[0].node.boots, 1);
	assert_true(joules(&runs, 0) > 5999 && joules(&runs, 0) < 6001);
}

TEST(samples_before_the_begin_mark_are_dropped)
{
	static const struct moment m[] = {
		{ 100, "7", NULL, 900 },
		{ 110, "7", NULL, 900 },
		{ 120, "7", "begin 7", 100 },
		{ 130, "7", "end 7", 100 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.run[0].node.before, 2);
	assert_int_equal(runs.run[0].node.samples, 2);
	assert_int_equal(runs.run[0].node.start, 120 * SECOND);
	assert_true(joules(&runs, 0) > 999 && joules(&runs, 0) < 1001);
}

TEST(a_job_without_an_end_mark_ends_at_the_first_record_without_the_job)
{
	static const struct moment m[] = {
		{ 100, "7", "begin 7", 100 },
		{ 110, "7,8", NULL, 100 },
		{ 120, "8", NULL, 100 },
		{ 130, "8", NULL, 100 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	const struct node *node = &runs.run[0].node;
	assert_int_equal(node->left, 120 * SECOND);
	assert_int_equal(node->end, 110 * SECOND);
	assert_int_equal(node->no_end, 1);
	assert_int_equal(node->no_begin, 0);
	assert_false(node->open);
	assert_int_equal(node->shared, 1);
}

TEST(a_job_in_the_newest_record_is_open)
{
	static const struct moment m[] = { { 100, "7", "begin 7", 1 }, { 110, "7", NULL, 1 } };
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	assert_true(runs.run[0].node.open);
	assert_int_equal(runs.run[0].node.left, 0);
}

/* A gap is longer than 2.5 times the median of at least 3 intervals. */
TEST(gap_is_longer_than_two_and_a_half_usual_intervals)
{
	static const struct {
		/* length in seconds of the interval that follows three of 10 s */
		int64_t last;
		size_t gaps;
	} cases[] = { { 10, 0 }, { 25, 0 }, { 26, 1 }, { 100, 1 } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct moment m[] = {
			{ 100, "7", "begin 7", 1 }, { 110, "7", NULL, 1 }, { 120, "7", NULL, 1 },
			{ 130, "7", NULL, 1 }, { 130 + cases[i].last, "7", "end 7", 1 },
		};
		struct runs runs CLEANUP(runs_free);
		search(m, ARRAY_SIZE(m), &runs);
		const struct node *node = &runs.run[0].node;
		assert_int_equal(node->interval, 10 * SECOND);
		assert_int_equal(node->gaps, cases[i].gaps);
		assert_int_equal(node->longest, cases[i].gaps ? cases[i].last * SECOND : 0);
		assert_int_equal(node->longest_at, cases[i].gaps ? 130 * SECOND : 0);
	}
	static const struct moment few[] = {
		{ 100, "7", "begin 7", 1 }, { 110, "7", NULL, 1 }, { 900, "7", "end 7", 1 },
	};
	struct runs runs CLEANUP(runs_free);
	search(few, ARRAY_SIZE(few), &runs);
	assert_int_equal(runs.run[0].node.interval, 0);
	assert_int_equal(runs.run[0].node.gaps, 0);
}

/*
 * Job 8 shares the node's energy from the record with its begin mark to the record with its end
 * mark.
 */
TEST(energy_is_shared_from_the_begin_of_another_job_to_its_end)
{
	static const struct moment m[] = {
		{ 100, "7", "begin 7", 200 },
		{ 110, "7,8", "begin 8", 200 },	/* job 7 was alone on the node until now */
		{ 120, "7,8", NULL, 200 },
		{ 130, "7,8", "end 8", 200 },
		{ 150, "7", "end 7", 200 },	/* job 7 was alone on the node from 130 to 150 s */
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	const struct share *share = &runs.run[0].node.course.share[ENERGY_ACPI];
	assert_true(share->of > 9999 && share->of < 10001);
	/*
	 * the CPU time of job 7 is unknown, so it gets no energy for the 20 s that it shared with
	 * job 8
	 */
	assert_true(share->joules > 5999 && share->joules < 6001);
	assert_true(share->unknown);
}

int main(void)
{
	RUN(cmocka_unit_test(energy_between_two_runs_of_a_job_belongs_to_neither),
	    cmocka_unit_test(energy_over_a_boot_is_left_out),
	    cmocka_unit_test(samples_before_the_begin_mark_are_dropped),
	    cmocka_unit_test(a_job_without_an_end_mark_ends_at_the_first_record_without_the_job),
	    cmocka_unit_test(a_job_in_the_newest_record_is_open),
	    cmocka_unit_test(gap_is_longer_than_two_and_a_half_usual_intervals),
	    cmocka_unit_test(energy_is_shared_from_the_begin_of_another_job_to_its_end));
}
