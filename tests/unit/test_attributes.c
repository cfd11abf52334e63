/* SPDX-License-Identifier: BSD-3-Clause */
/* test_attributes.c - turn job attributes from hooks into safe words, or leave them out */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>
#include "recorder/attributes.h"

static bool is_valid(struct str text)
{
	struct attributes a;
	return attributes_read(text, &a);
}

TEST(attributes_become_words)
{
	static const struct {
		const char *text;
		int want;
		/* all attributes that the job has after this row of the test */
		const char *all;
	} steps[] = {
		{ "user=ann", 0, " user=ann" },
		{ "partition=", 0, " user=ann" },
		{ "user", -EINVAL, " user=ann" },
		{ "=x", -EINVAL, " user=ann" },
		{ "User=x", -EINVAL, " user=ann" },
		{ "a b=x", -EINVAL, " user=ann" },
		{ "source=hook", -EINVAL, " user=ann" },
		{ "exit2=3:0", 0, " user=ann exit2=3:0" },
		{ "name=a b\n%end 7=\\", 0,
		  " user=ann exit2=3:0 name=a\\040b\\012%end\\0407=\\134" },
	};
	struct buf b CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_int_equal(attributes_add(&b, str_of(steps[i].text)), steps[i].want);
		assert_true(str_eq(buf_str(&b), str_of(steps[i].all)));
		assert_true(is_valid(buf_str(&b)));
	}
}

TEST(attributes_above_the_limit_are_left_out)
{
	char large[2 * ATTRIBUTES_MAX];
	struct buf b CLEANUP(buf_free) = { 0 };
	memset(large, 'x', sizeof(large));
	memcpy(large, "k=", 2);
	assert_int_equal(attributes_add(&b, (struct str){ large, sizeof(large) }), -ENOSPC);
	assert_int_equal(attributes_add(&b, (struct str){ large, ATTRIBUTES_MAX - 1 }), 0);
	assert_int_equal(b.n, ATTRIBUTES_MAX);
	assert_int_equal(attributes_add(&b, STR("k=v")), -ENOSPC);
	assert_int_equal(b.n, ATTRIBUTES_MAX);
	assert_true(is_valid(buf_str(&b)));
}

TEST(malformed_list_of_attributes_is_refused)
{
	static const char *const bad[] = {
		"k", "k=", "=v", "k=v w", "source=x", "k=\x7f", "k=v\nk=w", "K=v", "k=\xc3\xa4",
	};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(is_valid(str_of(bad[i])));
	assert_true(is_valid(STR("")));
}

TEST(value_is_found_by_its_key)
{
	struct attributes a;
	assert_true(attributes_read(STR(" gpu=1 gpus=0,2 user=a=b user=c us=1 request=7.8"), &a));
	assert_true(str_eq(a.gpus, STR("0,2")));
	assert_true(str_eq(a.user, STR("c")));
	assert_int_equal(a.uid.n, 0);
	assert_false(attributes_read(STR("user=d uid"), &a));
	assert_true(str_eq(a.user, STR("c")));
	assert_true(attributes_read(STR(""), &a));
	assert_int_equal(a.gpus.n, 0);
}

int main(void)
{
	RUN(cmocka_unit_test(attributes_become_words),
	    cmocka_unit_test(attributes_above_the_limit_are_left_out),
	    cmocka_unit_test(value_is_found_by_its_key),
	    cmocka_unit_test(malformed_list_of_attributes_is_refused));
}
