/* SPDX-License-Identifier: BSD-3-Clause */
/* test_json_read.c - read JSON objects that are whole, damaged, or have names that are not UTF-8 */
#include "tests/unit/test.h"
#include "formats/json_read.h"

TEST(members_are_read_one_by_one)
{
	struct str members, name, value;
	assert_true(json_take_object(STR(" {\"a\":1, \"b\" : {\"a\":[2,{}]},\"c\":\"}\\\"\"} \n"),
				     &members));
	assert_true(json_take_member(&members, &name, &value));
	assert_true(str_eq(name, STR("a")) && str_eq(value, STR("1")));
	assert_true(json_take_member(&members, &name, &value));
	assert_true(str_eq(name, STR("b")) && str_eq(value, STR("{\"a\":[2,{}]}")));
	assert_true(json_take_member(&members, &name, &value));
	assert_true(str_eq(name, STR("c")) && str_eq(value, STR("\"}\\\"\"")));
	assert_false(json_take_member(&members, &name, &value));
}

TEST(malformed_object_is_refused)
{
	static const char *const bad[] = {
		"", "{", "[]", "1", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "{\"a\":1}}",
		"{\"a\":1}x", "{\"a\":\"\n\"}", "{\"a\":\"b}", "{\"a\":\"b\\", "{\"a\":tru}",
		"{\"a\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}",
	};
	struct str members;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (json_take_object(str_of(bad[i]), &members))
			fail_msg("an object: %s", bad[i]);
	assert_true(json_take_object(STR("{}"), &members));
	assert_int_equal(members.n, 0);
}

TEST(texts_are_unescaped_and_otherwise_unchanged)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	assert_true(json_add_text(&b, STR("\"a\\n\\\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\xff\"")));
	assert_true(str_eq(buf_str(&b), STR("a\n\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff")));
	assert_false(json_add_text(&b, STR("\"b\\x\"")));
	assert_false(json_add_text(&b, STR("\"b\\u12\"")));
	assert_false(json_add_text(&b, STR("12")));
	assert_int_equal(b.n, 14);
	b.n = 0;
	/* the escape is the last character */
	assert_true(json_add_text(&b, STR("\"a\\u0041\"")));
	assert_true(str_eq(buf_str(&b), STR("aA")));
}

int main(void)
{
	RUN(cmocka_unit_test(members_are_read_one_by_one),
	    cmocka_unit_test(malformed_object_is_refused),
	    cmocka_unit_test(texts_are_unescaped_and_otherwise_unchanged));
}
