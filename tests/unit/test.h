/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h - macros that declare the tests of a program and run them */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

/* time limit of a test program in seconds: SIGALRM ends a program that hangs, and it fails */
#define TEST_LIMIT_S 1200

#define TEST(name) static void name(__attribute__((unused)) void **state)
#define RUN(...) \
	alarm(TEST_LIMIT_S); \
	const struct CMUnitTest tests_[] = { __VA_ARGS__ }; \
	return cmocka_run_group_tests(tests_, NULL, NULL)
