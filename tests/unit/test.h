/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h - tests read as sentences */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(name) static void name(__attribute__((unused)) void **state)
#define RUN(...) \
	const struct CMUnitTest tests_[] = { __VA_ARGS__ }; \
	return cmocka_run_group_tests(tests_, NULL, NULL)
