/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h - macros that declare the tests of a program and run them */
#pragma once

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

/* time limit of a test program in seconds: SIGALRM ends a program that hangs, and it fails */
#define TEST_LIMIT_S 1200

#define TEST(name) static void name(__attribute__((unused)) void **state)
/* Entry of RUN for a test of code that keeps descriptors open until the process ends. */
#define KEEPS_DESCRIPTORS(name) cmocka_unit_test_setup(name, test_note_descriptors)
/* Run the tests. A test without functions for setup and teardown fails if it leaks a descriptor. */
#define RUN(...) \
	alarm(TEST_LIMIT_S); \
	struct CMUnitTest tests_[] = { __VA_ARGS__ }; \
	for (size_t i_ = 0; i_ < sizeof(tests_) / sizeof(*tests_); i_++) \
		test_watch_descriptors(&tests_[i_]); \
	return cmocka_run_group_tests(tests_, NULL, NULL)

static size_t test_descriptors;	/* number of open descriptors before the test */

/* Leave a test without its cleanup functions, so descriptors stay open. */
#undef skip
#define skip() (test_descriptors = SIZE_MAX, _skip(__FILE__, __LINE__))

static inline size_t test_count_descriptors(void)
{
	size_t n = 0;
	for (int fd = 0; fd < 512; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static inline int test_note_descriptors(__attribute__((unused)) void **state)
{
	test_descriptors = test_count_descriptors();
	return 0;
}

static inline int test_compare_descriptors(__attribute__((unused)) void **state)
{
	size_t n = test_count_descriptors();
	if (n > test_descriptors)
		print_error("the test left %zu descriptors open\n", n - test_descriptors);
	return n > test_descriptors ? -1 : 0;
}

static inline void test_watch_descriptors(struct CMUnitTest *t)
{
	if (t->setup_func || t->teardown_func)
		return;
	t->setup_func = test_note_descriptors;
	t->teardown_func = test_compare_descriptors;
}
