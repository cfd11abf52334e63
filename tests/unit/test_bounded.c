/* SPDX-License-Identifier: BSD-3-Clause */
/* test_bounded.c - run work in a child process: return its output, or time out */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/bounded.h"

static void put_much(void *arg, struct buf *out)
{
	for (size_t i = 0; i < *(size_t *)arg; i++)
		buf_add_char(out, (char)i);
}

TEST(returns_all_output_of_the_work)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	size_t sizes[] = { 0, 1, 4096, 300000 }, n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		n += sizes[i];
		assert_int_equal(bounded_run(20000, put_much, &sizes[i], &out), 0);
		assert_int_equal(out.n, n);
	}
	assert_int_equal(out.p[n - 1], (char)299999);
}

static void add_and_end(void *arg, struct buf *out)
{
	(void)arg;
	buf_add(out, STR("half"));
	_exit(0);
}

TEST(child_that_ends_early_is_an_error)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	assert_int_equal(bounded_run(20000, add_and_end, NULL, &out), -EIO);
	assert_int_equal(out.n, 0);
}

static void hang(void *arg, struct buf *out)
{
	(void)arg;
	buf_add(out, STR("half"));
	for (;;)
		pause();
}

TEST(hanging_work_times_out_and_the_next_runs)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	size_t one = 1;
	int64_t start = monotonic_ns();
	assert_int_equal(bounded_run(50, hang, NULL, &out), -ETIMEDOUT);
	assert_true(monotonic_ns() - start >= 50000000);
	assert_int_equal(out.n, 0);

	/*
	 * Under load, the killed child may end late, and bounded_run() times out until the child
	 * has ended.
	 */
	int r = -ETIMEDOUT;
	for (int i = 0; i < 2000 && r == -ETIMEDOUT; i++) {
		r = bounded_run(20000, put_much, &one, &out);
		usleep(10000);
	}
	assert_int_equal(r, 0);
	assert_int_equal(out.n, 1);
}

int main(void)
{
	RUN(cmocka_unit_test(returns_all_output_of_the_work),
	    cmocka_unit_test(child_that_ends_early_is_an_error),
	    cmocka_unit_test(hanging_work_times_out_and_the_next_runs));
}
