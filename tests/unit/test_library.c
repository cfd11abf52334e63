/* SPDX-License-Identifier: BSD-3-Clause */
/* test_library.c - load libraries that exist, are missing, or are too old */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>
#include "base/system/library.h"

struct functions {
	double (*floor)(double);
	double (*newer)(double);
};

static const struct library_symbol needs_newer[] = {
	{ "floor", offsetof(struct functions, floor) },
	{ "floor_of_tomorrow", offsetof(struct functions, newer) },
};
static const struct library_symbol takes_newer[] = {
	{ "floor", offsetof(struct functions, floor) },
	{ "floor_of_tomorrow", offsetof(struct functions, newer), .optional = true },
};

TEST(functions_of_a_library_can_be_called)
{
	struct functions f;
	const char *why;
	memset(&f, 0xff, sizeof(f));
	assert_int_equal(library_load("libm.so.6", takes_newer, 2, &f, &why), 0);
	assert_true(f.floor(2.5) == 2.0);
	assert_null(f.newer);
}

TEST(missing_or_too_old_library_is_named)
{
	struct functions f = { 0 };
	const char *why = NULL;
	assert_int_equal(library_load("libnone.so.9", takes_newer, 2, &f, &why), -ENOENT);
	assert_non_null(strstr(why, "libnone.so.9"));
	assert_int_equal(library_load("libm.so.6", needs_newer, 2, &f, &why), -ENOENT);
	assert_non_null(strstr(why, "floor_of_tomorrow"));
	assert_null(f.floor);
}

int main(void)
{
	RUN(cmocka_unit_test(functions_of_a_library_can_be_called),
	    cmocka_unit_test(missing_or_too_old_library_is_named));
}
