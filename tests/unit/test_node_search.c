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
	int64_t step;		/* seconds by which the clock was set forward before the record */
	const char *then;	/* text of another mark, or NULL */
	uint64_t make;		/* CPU time of process make, in 1/100 s */
};

/*
 * Pass a record to the search. Its type jbd2 has no figures. before: time of the previous record.
 */
static void take(struct node_search *h, const struct moment *m, int64_t before)
{
	static const struct record_key input = { "input", "uW", GAUGE, 64, 1, "uW", false };
	static const struct record_type hwmon_power = { "hwmon_power", &input, 1 };
	static const struct record_type jbd2 = { "jbd2", &input, 1 };
	static const struct record_key cpu = { "cpu", "cs", COUNTER, 64, 1, "cs", false };
	static const struct record_type process = { "process", &cpu, 1 };
	const uint64_t value = m->watts * 1000000;
	const struct record_row row = { .device = STR("hwmon0/power_meter/power1"),
					.value = &value };
	const struct record_row make = { .device = STR("5/make"), .value = &m->make };
	const struct record_rows of[] = {
		{ &hwmon_power, &row, 1 }, { &jbd2, &row, 1 }, { &process, &make, 1 },
	};
	const struct mark mark[] = {
		mark_parse(str_of(m->mark ? m->mark : "")),
		mark_parse(str_of(m->then ? m->then : "")),
	};
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
				  .mark = mark, .n_marks = (m->mark != NULL) + (m->then != NULL),
				  .rows = of, .n_types = 3, .n_rows = 3, .below = &none };
	node_search_take(h, &r, &(struct node_moment){ .booted = m->booted,
						       .before = before * SECOND,
						       .step = m->step * SECOND });
}

/* Search these records. The caller frees the runs. */
static void search_for(const struct node_query *q, const struct moment *m, size_t n,
		       struct runs *runs)
{
	*runs = (struct runs){ 0 };
	struct node_search *h = node_search_new(q, "n1", runs);
	node_search_begin_file(h);
	for (size_t i = 0; i < n; i++)
		take(h, &m[i], i ? m[i - 1].second : 0);
	node_search_end_file(h, 0, false);
	node_search_end(h);
}

/* Find the runs of job 7 in these records. The caller frees the runs. */
static void search(const struct moment *m, size_t n, struct runs *runs)
{
	search_for(&(struct node_query){ .job = "7" }, m, n, runs);
}

static double joules(const struct runs *runs, size_t run)
{
	return runs->run[run].node.course.share[ENERGY_ACPI].of;
}

/* If a job is requeued on the same node, the hooks mark two runs. */
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

TEST(dropped_samples_leave_nothing_in_the_run)
{
	static const struct moment m[] = {
		{ 100, "7,8", NULL, 900 },
		{ 90, "7,8", "counters_release 8", 900 },
		{ 110, "7", NULL, 900, .booted = true },
		{ 120, "7", "begin 7", 100 },
		{ 130, "7", "end 7", 100 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	const struct node *node = &runs.run[0].node;
	assert_int_equal(node->before, 3);
	assert_int_equal(node->shared, 0);
	assert_int_equal(node->set_back, 0);
	assert_int_equal(node->released, 0);
	assert_int_equal(node->boots, 0);
	assert_int_equal(node->wall_start, 120 * SECOND);
	assert_string_equal(node->other_types, "jbd2");
}

TEST(clock_that_was_set_back_counts_only_within_the_run)
{
	static const struct moment m[] = {
		{ 100, "", NULL, 1 },
		{ 90, "7", "begin 7", 1 },
		{ 95, "7", NULL, 1 },
		{ 92, "7", NULL, 1 },
		{ 110, "7", "end 7", 1, .then = "begin 7" },
		{ 120, "7", "end 7", 1 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 2);
	assert_int_equal(runs.run[0].node.set_back, 1);
	assert_int_equal(runs.run[1].node.set_back, 0);
	runs_free(&runs);
	search(m, 2, &runs);
	assert_int_equal(runs.run[0].node.set_back, 0);
}

TEST(what_happens_after_the_job_has_left_is_not_of_the_job)
{
	static const struct moment m[] = {
		{ 100, "7", "begin 7", 1 },
		{ 110, "7", NULL, 1 },
		{ 120, "8", "counters_release 8", 1, .booted = true },	/* the boot ended job 7 */
		{ 130, "8", "counters_release 8", 1, .booted = true },
		{ 140, "8", NULL, 1, .step = 5 },
		{ 150, "7", NULL, 1 },
		{ 160, "7", "end 7", 1 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m) - 2, &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.run[0].node.boots, 1);
	assert_int_equal(runs.run[0].node.released, 1);
	assert_int_equal(runs.run[0].node.stepped, 0);
	runs_free(&runs);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.run[0].node.boots, 2);
	assert_int_equal(runs.run[0].node.released, 2);
	assert_int_equal(runs.run[0].node.stepped, 1);
}

TEST(boot_before_the_record_with_the_end_mark_is_of_the_job)
{
	static const struct moment m[] = {
		{ 100, "7", "begin 7", 1 },
		{ 110, "7", NULL, 1 },
		{ 500, "7", "end 7", 1, .booted = true },
		{ 900, "", NULL, 1, .booted = true },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.run[0].node.boots, 1);
}

TEST(boots_outside_of_the_time_of_a_query_do_not_count)
{
	static const struct moment m[] = {
		{ 100, "", NULL, 1 },
		{ 200, "", NULL, 1, .booted = true },
		{ 300, "", NULL, 1, .booted = true },
		{ 400, "", NULL, 1, .booted = true },
	};
	const struct node_query q = { .since = 150 * SECOND, .until = 350 * SECOND };
	struct runs runs CLEANUP(runs_free);
	search_for(&q, m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	assert_int_equal(runs.run[0].node.samples, 2);
	assert_int_equal(runs.run[0].node.boots, 1);
}

/*
 * The clock is set forward by an hour during the first run or after it. The second run begins
 * later.
 */
TEST(times_of_each_run_are_by_the_clock_at_its_begin)
{
	static const struct moment left[] = {
		{ 100, "7", "begin 7", 1 },
		{ 110, "7", NULL, 1 },
		{ 120, "", NULL, 1 },
		{ 3730, "", NULL, 1, .step = 3600 },
		{ 3740, "7", "begin 7", 1 },
		{ 3760, "7", "end 7", 1 },
	};
	static const struct moment again[] = {
		{ 100, "7", "begin 7", 1 },
		{ 3730, "7", NULL, 1, .step = 3600 },
		{ 3740, "7", "end 7", 1, .then = "begin 7" },
		{ 3760, "7", "end 7", 1 },
	};
	struct runs runs CLEANUP(runs_free);
	search(left, ARRAY_SIZE(left), &runs);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(runs.n, 2);
		assert_int_equal(runs.run[0].node.end, (i ? 140 : 110) * SECOND);
		assert_int_equal(runs.run[1].node.start, 3740 * SECOND);
		assert_int_equal(runs.run[1].node.end, 3760 * SECOND);
		assert_int_equal(runs.run[1].node.stepped, 0);
		runs_free(&runs);
		search(again, ARRAY_SIZE(again), &runs);
	}
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
	assert_int_equal(node->absent_from, 120 * SECOND);
	assert_int_equal(node->end, 110 * SECOND);
	assert_int_equal(node->no_end, 1);
	assert_int_equal(node->no_begin, 0);
	assert_false(node->open);
	assert_int_equal(node->shared, 1);
}

#define CPUS 6

/*
 * Add a record of second 100 + 10 * tens. percent: how much each CPU has worked since second 100.
 */
static void take_cpus(struct node_search *h, const uint64_t percent[CPUS], uint64_t tens,
		      const char *mark)
{
	static const struct record_key keys[] = {
		{ "user", "cs", COUNTER, 64, 1, "cs", false },
		{ "idle", "cs", COUNTER, 64, 1, "cs", false },
	};
	static const struct record_type cpu = { "cpu", keys, ARRAY_SIZE(keys) };
	static const char number[] = "0123456789";
	const struct mark parsed = mark_parse(str_of(mark ? mark : ""));
	const struct str job = STR("7");
	struct record_row row[CPUS];
	uint64_t value[CPUS][2];
	struct below none = { 0 };
	for (size_t i = 0; i < CPUS; i++) {
		value[i][0] = percent[i] * 10 * tens;
		value[i][1] = (100 - percent[i]) * 10 * tens;
		row[i] = (struct record_row){ .device = { number + i, 1 }, .value = value[i] };
	}
	const struct record_rows of = { &cpu, row, CPUS };
	const struct record r = { .usec = (int64_t)(100 + 10 * tens) * SECOND, .job = &job,
				  .n_jobs = 1, .mark = &parsed, .n_marks = mark != NULL,
				  .rows = &of, .n_types = 1, .n_rows = CPUS, .below = &none };
	node_search_take(h, &r, &(struct node_moment){ .cores = CPUS });
}

/* Daemons use 4 % of four CPUs, on which the job does not work. */
TEST(cpus_that_hardly_worked_are_not_compared_with_the_busiest)
{
	static const uint64_t percent[CPUS] = { 100, 30, 4, 4, 4, 4 };
	const struct node_query q = { .job = "7" };
	struct runs runs CLEANUP(runs_free) = { 0 };
	struct node_search *h = node_search_new(&q, "n1", &runs);
	node_search_begin_file(h);
	for (uint64_t i = 0; i < 4; i++)
		take_cpus(h, percent, i, i == 0 ? "begin 7" : i == 3 ? "end 7" : NULL);
	node_search_end(h);
	assert_int_equal(runs.n, 1);
	const struct course *c = &runs.run[0].node.course;
	assert_int_equal(c->cpus, CPUS);
	assert_int_equal(c->cpus_used, 2);
	assert_int_equal(c->cpus_busy, 1);
	assert_true(c->top_share > .999 && c->top_share < 1.001);
	assert_true(c->others_share > .299 && c->others_share < .301);
}

/* Without an end mark, the process "make" may belong to the job. */
TEST(programs_outside_the_job_are_known_only_at_its_end_mark)
{
	static const struct moment m[] = {
		{ 100, "7", "begin 7", 1, .make = 50 },
		{ 110, "7", NULL, 1, .make = 550 },
		{ 120, "7", "end 7", 1, .make = 1050 },
	};
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_string_equal(runs.run[0].node.bystander[0].name, "make");
	assert_true(runs.run[0].node.bystander[0].cpu == 10);
	runs_free(&runs);
	search(m, 2, &runs);
	assert_string_equal(runs.run[0].node.bystander[0].name, "");
}

TEST(a_job_in_the_newest_record_is_open)
{
	static const struct moment m[] = { { 100, "7", "begin 7", 1 }, { 110, "7", NULL, 1 } };
	struct runs runs CLEANUP(runs_free);
	search(m, ARRAY_SIZE(m), &runs);
	assert_int_equal(runs.n, 1);
	assert_true(runs.run[0].node.open);
	assert_int_equal(runs.run[0].node.absent_from, 0);
}

/*
 * An interval between samples is a gap if it exceeds 2.5 times the median of at least 3 intervals.
 */
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
		{ 110, "7,8", "begin 8", 200 },	/* job 7 was alone on the node until 110 s */
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
	    cmocka_unit_test(dropped_samples_leave_nothing_in_the_run),
	    cmocka_unit_test(clock_that_was_set_back_counts_only_within_the_run),
	    cmocka_unit_test(what_happens_after_the_job_has_left_is_not_of_the_job),
	    cmocka_unit_test(boot_before_the_record_with_the_end_mark_is_of_the_job),
	    cmocka_unit_test(boots_outside_of_the_time_of_a_query_do_not_count),
	    cmocka_unit_test(times_of_each_run_are_by_the_clock_at_its_begin),
	    cmocka_unit_test(a_job_without_an_end_mark_ends_at_the_first_record_without_the_job),
	    cmocka_unit_test(cpus_that_hardly_worked_are_not_compared_with_the_busiest),
	    cmocka_unit_test(programs_outside_the_job_are_known_only_at_its_end_mark),
	    cmocka_unit_test(a_job_in_the_newest_record_is_open),
	    cmocka_unit_test(gap_is_longer_than_two_and_a_half_usual_intervals),
	    cmocka_unit_test(energy_is_shared_from_the_begin_of_another_job_to_its_end));
}
