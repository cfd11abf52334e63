/* SPDX-License-Identifier: BSD-3-Clause */
/* test_nearest.c - find the known word that a misspelt word was meant to be */
#include "tests/unit/test.h"

#include <stdint.h>
#include <string.h>
#include "base/base.h"
#include "base/nearest.h"

TEST(one_letter_is_one_step)
{
	assert_int_equal(nearest_distance("interval", "interval"), 0);
	assert_int_equal(nearest_distance("intervall", "interval"), 1);
	assert_int_equal(nearest_distance("interva", "interval"), 1);
	assert_int_equal(nearest_distance("intervel", "interval"), 1);
	assert_int_equal(nearest_distance("inetrval", "interval"), 1);
	assert_int_equal(nearest_distance("", "dir"), 3);
	assert_int_equal(nearest_distance("dir", ""), 3);
	/* a letter between two swapped letters prevents counting them as one edit */
	assert_int_equal(nearest_distance("ca", "abc"), 3);
}

TEST(words_of_any_length_are_compared_or_refused)
{
	char a[NEAREST_LETTERS + 2];
	memset(a, 'a', sizeof(a));
	a[NEAREST_LETTERS] = '\0';
	assert_int_equal(nearest_distance(a, "a"), NEAREST_LETTERS - 1);
	assert_int_equal(nearest_distance("a", a), NEAREST_LETTERS - 1);
	a[NEAREST_LETTERS] = 'a';
	a[NEAREST_LETTERS + 1] = '\0';
	assert_true(nearest_distance(a, "a") == SIZE_MAX);
	assert_true(nearest_distance("a", a) == SIZE_MAX);
}

static const char *meant(const char *word)
{
	static const char *const known[] = { "dir", "begin", "end", "status", "torque", "pbs" };
	struct nearest n = { NULL, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		nearest_try(&n, word, known[i]);
	return n.best ? n.best : "";
}

TEST(the_nearest_word_is_suggested_if_it_is_near)
{
	assert_string_equal(meant("stauts"), "status");
	assert_string_equal(meant("beginn"), "begin");
	assert_string_equal(meant("torq"), "torque");
	assert_string_equal(meant("drr"), "dir");
	assert_string_equal(meant("frobnicate"), "");
	assert_string_equal(meant("x"), "");
	assert_string_equal(meant("fer"), "");	/* only one letter equals that of "dir" */
	assert_string_equal(meant(""), "");
}

int main(void)
{
	RUN(cmocka_unit_test(one_letter_is_one_step),
	    cmocka_unit_test(words_of_any_length_are_compared_or_refused),
	    cmocka_unit_test(the_nearest_word_is_suggested_if_it_is_near));
}
