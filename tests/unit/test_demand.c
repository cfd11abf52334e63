/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_demand.c - compute how many CPUs a job's tasks wanted, and find processes bound to few CPUs
 */
#include "tests/unit/test.h"

#include <stdlib.h>
#include "base/base.h"
#include "figures/demand.h"
#include "figures/figures.h"
#include "figures/procs.h"

#define SECOND INT64_C(1000000)

/* A job to which samples are added one by one. */
struct demanding {
	struct demand_watch watch;
	struct step *step;
	int64_t usec;
};

static void demanding_begin(struct demanding *d)
{
	*d = (struct demanding){ .step = calloc(n_figures, sizeof(*d->step)), .usec = SECOND };
	demand_init(&d->watch);
	demand_take(&d->watch, d->step, d->usec);
}

static void set_step(struct demanding *d, const char *id, double n)
{
	d->step[figure_find(id)] = (struct step){ .is = STEP_KNOWN, .n = n };
}

/*
 * Add a sample: seconds since the previous sample, then in s: CPU time of the job, CPU time of the
 * tasks that were read, and time spent waiting for a CPU; then bytes written.
 */
static void demanding_add(struct demanding *d, double seconds, double cpu, double of, double wait,
			  double bytes)
{
	set_step(d, "job.cpu", cpu);
	set_step(d, "job.cpu_wait_of", of);
	set_step(d, "job.cpu_wait", wait);
	set_step(d, "job.wr_bytes", bytes);
	d->usec += (int64_t)(seconds * 1e6);
	demand_take(&d->watch, d->step, d->usec);
}

static struct demand demanding_end(struct demanding *d)
{
	free(d->step);
	return demand_end(&d->watch);
}

static void assert_near(double a, double b)
{
	assert_true(a > b - 1e-9 && a < b + 1e-9);
}

TEST(task_that_runs_or_waits_wants_a_cpu)
{
	struct demanding d;
	demanding_begin(&d);
	for (int i = 0; i < 3; i++)
		demanding_add(&d, 1, .25, .25, .75, 0);
	demanding_add(&d, 1, .5, .5, 2.5, 0);
	demanding_add(&d, 1, .01, .01, .02, 0);
	const struct demand is = demanding_end(&d);
	assert_near(is.seconds, 5);
	assert_near(is.cpus, 6.03 / 5);
	assert_near(is.most, 3);
	assert_near(is.one, .6);
	assert_near(is.none, .2);
	assert_int_equal(is.one_from, SECOND);
	assert_int_equal(is.one_to, 4 * SECOND);
	assert_int_equal(is.none_from, 5 * SECOND);
	assert_int_equal(is.none_to, 6 * SECOND);
}

TEST(interval_with_unread_tasks_does_not_count)
{
	struct demanding d;
	demanding_begin(&d);
	demanding_add(&d, 1, .5, .5, .5, 0);
	demanding_add(&d, 1, .5, .3, .1, 0);
	demanding_add(&d, 1, .5, .5, .5, 0);
	const struct demand is = demanding_end(&d);
	assert_near(is.seconds, 2);
	assert_near(is.cpus, 1);
	assert_int_equal(is.one_to - is.one_from, SECOND);
}

TEST(short_intervals_are_joined)
{
	struct demanding d;
	demanding_begin(&d);
	for (int i = 0; i < 4; i++)
		demanding_add(&d, .5, i % 2 ? .5 : 0, i % 2 ? .5 : 0, i % 2 ? .5 : 0, 0);
	const struct demand is = demanding_end(&d);
	assert_near(is.seconds, 2);
	assert_near(is.one, 1);
	assert_near(is.none, 0);
}

TEST(intervals_with_many_bytes_written_are_separate)
{
	struct demanding d;
	demanding_begin(&d);
	for (int i = 0; i < 4; i++)
		demanding_add(&d, 1, .5, .5, i == 3 ? 0 : 1.5, i == 3 ? 2e7 : 1e6);
	const struct demand is = demanding_end(&d);
	assert_near(is.moving, .25);
	assert_near(is.moving_cpus, .5);
	assert_near(is.other_cpus, 2);
	assert_near(is.io_asleep, .125);
}

TEST(only_sleep_beside_io_is_sleep_in_io)
{
	struct demanding d;
	demanding_begin(&d);
	for (int i = 0; i < 4; i++)
		demanding_add(&d, 1, .25, .25, 0, i == 0 ? 4e5 : 9e4);
	assert_near(demanding_end(&d).io_asleep, .75 / 4);
}

/*
 * Two tasks wait in each of five samples of 1 s. Idle CPUs: 0.5 in two samples, 3 in two, unknown
 * in one. So 0.5 + 0.5 + 2 + 2 s of the waits were beside idle CPUs.
 */
TEST(only_waits_while_cpus_are_idle_are_beside_idle)
{
	struct demanding d;
	demanding_begin(&d);
	for (int i = 0; i < 4; i++) {
		set_step(&d, "cpu.idle", i < 2 ? .5 : 3);
		demanding_add(&d, 1, 1, 1, 2, 0);
	}
	d.step[figure_find("cpu.idle")].is = STEP_BROKEN;
	demanding_add(&d, 1, 1, 1, 2, 0);
	const struct demand is = demanding_end(&d);
	assert_near(is.waiting, 2);
	assert_near(is.beside_idle, 5. / 5);
}

/* Add four samples of 1 s, with values that depend on their number. */
static void add_varied(struct demanding *d, int from)
{
	for (int i = from; i < from + 4; i++) {
		set_step(d, "cpu.idle", i % 3);
		demanding_add(d, 1, i % 4, i % 4, i % 5 ? i % 2 : 0, i % 3 ? 2e7 : 2e5);
	}
}

TEST(demand_of_two_runs_is_that_of_all_samples)
{
	struct demanding d, first, second;
	demanding_begin(&d);
	add_varied(&d, 3);
	d.watch.one_since = d.watch.none_since = 0;
	add_varied(&d, 7);
	demanding_begin(&first);
	add_varied(&first, 3);
	demanding_begin(&second);
	second.usec = first.usec;
	second.watch.now.from = first.usec;
	add_varied(&second, 7);
	const struct demand all = demanding_end(&d), b = demanding_end(&second);
	struct demand sum = demanding_end(&first);
	demand_add(&sum, &b);
	assert_near(sum.seconds, all.seconds);
	assert_near(sum.cpus, all.cpus);
	assert_near(sum.waiting, all.waiting);
	assert_near(sum.beside_idle, all.beside_idle);
	assert_near(sum.most, all.most);
	assert_near(sum.one, all.one);
	assert_near(sum.none, all.none);
	assert_near(sum.moving, all.moving);
	assert_near(sum.moving_cpus, all.moving_cpus);
	assert_near(sum.other_cpus, all.other_cpus);
	assert_near(sum.io_asleep, all.io_asleep);
	assert_int_equal(sum.one_to - sum.one_from, all.one_to - all.one_from);
	assert_int_equal(sum.none_to - sum.none_from, all.none_to - all.none_from);
	const struct demand none = { 0 };
	struct demand only = none;
	demand_add(&only, &none);
	assert_near(only.cpus, 0);
	demand_add(&only, &b);
	assert_near(only.cpus, b.cpus);
	assert_near(only.other_cpus, b.other_cpus);
}

TEST(job_without_wait_times_has_no_demand)
{
	struct demanding d;
	demanding_begin(&d);
	set_step(&d, "job.cpu", 1);
	demand_take(&d.watch, d.step, 3 * SECOND);
	assert_near(demanding_end(&d).seconds, 0);
}

/* Add a sample of a node with 4 CPUs and these rows of type proc. Each process has 2 threads. */
static void add_sample(struct bound *b, const char *const device[], size_t n)
{
	static const struct record_key threads = { "Threads", "", GAUGE, 64, 1, "", false };
	static const struct record_type proc = { "proc", &threads, 1 }, cpu = { "cpu", NULL, 0 };
	static const uint64_t two = 2;
	const struct record_row cpus[4] = { { .device = STR("0") } };
	struct record_row row[4];
	const struct record_rows rows[] = { { &cpu, cpus, 4 }, { &proc, row, n } };
	for (size_t i = 0; i < n; i++)
		row[i] = (struct record_row){ .device = str_of(device[i]), .value = &two };
	bound_take(b, &(struct record){ .rows = rows, .n_types = ARRAY_SIZE(rows) });
}

static struct bound bound_of(const char *const device[], size_t n)
{
	struct bound b = { 0 };
	add_sample(&b, device, n);
	return b;
}

TEST(processes_bound_to_the_same_cpus_are_counted)
{
	const char *const same[] = { "a/b/7/0-1/0", "a/b/8/1/0", "c/9/0-1/0", "sh/6/0-3/0" };
	const char *const apart[] = { "a/7/0-1/0", "a/8/2,3/0", "sh/6/0-3/0" };
	const char *const odd[] = { "a", "a/8/x/0", "a/8/1-/0", "/0/0" };
	struct bound b = bound_of(same, 4);
	assert_int_equal(b.processes, 3);
	assert_int_equal(b.cpus, 2);
	assert_int_equal(bound_of(apart, 3).processes, 0);
	assert_int_equal(bound_of(odd, 3).processes, 0);
}

/*
 * Keep the sample in which more processes than CPUs are bound (two to CPU 0), not a later one in
 * which only their threads outnumber the CPUs.
 */
TEST(threads_bound_to_one_cpu_are_counted)
{
	const char *const one[] = { "a/7/1/0", "sh/6/0-3/0" };
	const char *const two[] = { "a/7/1/0", "b/8/1/0" };
	struct bound b = bound_of(one, 2);
	assert_int_equal(b.processes, 1);
	assert_int_equal(b.threads, 2);
	assert_int_equal(b.cpus, 1);
	for (int i = 0; i < 2; i++) {
		add_sample(&b, two, 2);
		assert_int_equal(b.processes, 2);
		assert_int_equal(b.threads, 4);
		add_sample(&b, one, 2);
		assert_int_equal(b.processes, 2);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(task_that_runs_or_waits_wants_a_cpu),
	    cmocka_unit_test(interval_with_unread_tasks_does_not_count),
	    cmocka_unit_test(short_intervals_are_joined),
	    cmocka_unit_test(intervals_with_many_bytes_written_are_separate),
	    cmocka_unit_test(only_sleep_beside_io_is_sleep_in_io),
	    cmocka_unit_test(only_waits_while_cpus_are_idle_are_beside_idle),
	    cmocka_unit_test(demand_of_two_runs_is_that_of_all_samples),
	    cmocka_unit_test(job_without_wait_times_has_no_demand),
	    cmocka_unit_test(processes_bound_to_the_same_cpus_are_counted),
	    cmocka_unit_test(threads_bound_to_one_cpu_are_counted));
}
