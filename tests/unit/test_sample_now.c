/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sample_now.c - sample for live viewers: only permitted types, and not too often */
#include "tests/unit/recorder_node.h"

#include <errno.h>
#include <time.h>
#include "agent/sample_now.h"

static int64_t ahead_ns;	/* nanoseconds that the test's clock is ahead */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	static struct timespec start;
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, t);
	if (!start.tv_sec)	/* the clock stops between the steps of the test */
		(void)__real_clock_gettime(clock, &start);
	int64_t ns = start.tv_sec * INT64_C(1000000000) + start.tv_nsec + ahead_ns;
	*t = (struct timespec){ ns / 1000000000, (long)(ns % 1000000000) };
	return 0;
}

/* An agent that has taken a whole sample of types cpu, proc and intel_rapl. */
struct desk {
	struct node node;
	struct newest_sample *newest;
	struct buf text;
};

static void desk_open(struct desk *d)
{
	*d = (struct desk){ .newest = newest_sample_new() };
	node_open(&d->node, true);
	assert_int_equal(recorder_sample(d->node.r, 0), 0);
}

static void desk_free(struct desk *d)
{
	newest_sample_free(d->newest);
	buf_free(&d->text);
	node_free(&d->node);
}

static int ask(struct desk *d, const char *list, bool trusted)
{
	const struct control_request q = { .verb = CONTROL_SAMPLE, .argument = str_of(list),
					   .trusted = trusted };
	d->text.n = 0;
	return sample_now(d->newest, d->node.r, &q, &d->text);
}

/*
 * Power readings and lists of processes reveal the work of other users, and the kernel protects
 * hardware counters.
 */
TEST(types_that_the_kernel_protects_are_for_trusted_users)
{
	static const char *const guarded[] = { "proc", "process", "process_io", "intel_rapl",
					       "amd64_rapl", "hwmon_energy", "ipmi_dcmi",
					       "intel_pmc3", "amd64_pmc" };
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++)
		assert_int_equal(ask(&d, guarded[i], false), -EINVAL);
	assert_int_equal(ask(&d, "unheard_of", true), -EINVAL);
	assert_int_equal(ask(&d, "", true), -EINVAL);
	assert_int_equal(ask(&d, "proc,cpu", false), 0);
	assert_non_null(memmem(d.text.p, d.text.n, "\ncpu 0 1 2 3 4\n", 15));
	/* a trusted user gets more types than the last sample had, too soon for a new sample */
	assert_int_equal(ask(&d, "proc,cpu", true), -EAGAIN);
}

TEST(sample_is_taken_again_after_nine_tenths_of_a_second)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	assert_int_equal(ask(&d, "cpu", false), 0);
	tree_put(&d.node.tree, "root/proc/stat", STR("cpu0 5 6 7 8\n"));
	ahead_ns += 899999999;
	assert_int_equal(ask(&d, "cpu", true), 0);
	assert_non_null(memmem(d.text.p, d.text.n, "\ncpu 0 1 2 3 4\n", 15));
	assert_int_equal(ask(&d, "mem", true), -EAGAIN);
	ahead_ns += 1;
	assert_int_equal(ask(&d, "cpu", true), 0);
	assert_non_null(memmem(d.text.p, d.text.n, "\ncpu 0 5 6 7 8\n", 15));
}

int main(void)
{
	RUN(cmocka_unit_test(types_that_the_kernel_protects_are_for_trusted_users),
	    cmocka_unit_test(sample_is_taken_again_after_nine_tenths_of_a_second));
}
