/* SPDX-License-Identifier: BSD-3-Clause */
/* test_json_read.c - objects of JSON, whole, damaged, and with names that are not UTF-8 */
#include "tests/unit/test.h"
#include <arpa/inet.h>
#include <errno.h>
#include "formats/json_read.h"
#include "formats/xrootd/shoveler.h"

TEST(members_come_one_by_one_whatever_is_in_them)
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

TEST(what_is_no_whole_object_is_none)
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

TEST(texts_lose_their_escapes_and_nothing_else)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	assert_true(json_add_text(&b, STR("\"a\\n\\\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\xff\"")));
	assert_true(str_eq(buf_str(&b), STR("a\n\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff")));
	assert_false(json_add_text(&b, STR("\"b\\x\"")));
	assert_false(json_add_text(&b, STR("\"b\\u12\"")));
	assert_false(json_add_text(&b, STR("12")));
	assert_int_equal(b.n, 14);
}

static void expect_from(const char *line, const char *address, uint16_t port, const char *data)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct shoveled from;
	char text[INET6_ADDRSTRLEN];
	assert_int_equal(shoveler_read(str_of(line), &from, &b), 0);
	inet_ntop(AF_INET6, &from.address, text, sizeof(text));
	assert_string_equal(text, address);
	assert_int_equal(from.port, port);
	assert_true(str_eq(buf_str(&b), str_of(data)));
}

TEST(messages_of_the_shoveler_say_from_whom_a_datagram_was)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct shoveled from;
	expect_from("{\"remote\":\"192.0.2.1:1094\",\"version\":\"1\",\"data\":\"YWI=\"}",
		    "::ffff:192.0.2.1", 1094, "ab");
	expect_from("{\"data\":\"YWJj\",\"remote\":\"[2001:db8::1]:7\"}", "2001:db8::1", 7, "abc");
	expect_from("{\"remote\":\"2001:db8::1:7\",\"data\":\"YQ==\"}", "2001:db8::1", 7, "a");
	assert_int_equal(shoveler_read(STR("{\"remote\":\"192.0.2.1:1\",\"data\":\"\","
					   "\"time\":1800000000.25}"), &from, &b), 0);
	assert_int_equal(from.usec, 1800000000250000);
	assert_int_equal(shoveler_read(STR("{\"remote\":\"192.0.2.1:1\",\"data\":\"\","
					   "\"time\":\"now\"}"), &from, &b), 0);
	assert_int_equal(from.usec, 0);
	static const char *const bad[] = {
		"{\"remote\":\"192.0.2.1\",\"data\":\"YWI=\"}",
		"{\"remote\":\"192.0.2.1:70000\",\"data\":\"YWI=\"}",
		"{\"remote\":\"192.0.2.256:1\",\"data\":\"YWI=\"}",
		"{\"remote\":\"a b:1\",\"data\":\"YWI=\"}",
		"{\"remote\":\":1\",\"data\":\"YWI=\"}",
		"{\"remote\":\"192.0.2.1:1\",\"data\":\"Y*I=\"}",
		"{\"remote\":\"192.0.2.1:1\"}", "{\"data\":\"YWI=\"}", "YWI=",
	};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(shoveler_read(str_of(bad[i]), &from, &b), -EBADMSG);
}

TEST(messages_of_the_shoveler_may_name_a_server)
{
	struct shoveled a, b;
	struct buf data CLEANUP(buf_free) = { 0 }, line CLEANUP(buf_free) = { 0 };
	assert_int_equal(shoveler_read(STR("{\"remote\":\"cache-1.example.org:1094\","
					   "\"data\":\"YWI=\"}"), &a, &data), 0);
	assert_string_equal(a.name, "cache-1.example.org");
	assert_int_equal(a.port, 1094);
	shoveler_put(&line, &a, buf_str(&data));
	assert_int_equal(shoveler_read(buf_str(&line), &b, &data), 0);
	assert_string_equal(b.name, a.name);
	assert_memory_equal(&a.address, &b.address, sizeof(a.address));
	assert_int_equal(shoveler_read(STR("{\"remote\":\"cache-2.example.org:1094\","
					   "\"data\":\"YWI=\"}"), &b, &data), 0);
	assert_memory_not_equal(&a.address, &b.address, sizeof(a.address));
	assert_int_equal(shoveler_read(STR("{\"remote\":\"192.0.2.1:1\",\"data\":\"\"}"),
				       &a, &data), 0);
	assert_string_equal(a.name, "");
}

int main(void)
{
	RUN(cmocka_unit_test(messages_of_the_shoveler_may_name_a_server),
	    cmocka_unit_test(members_come_one_by_one_whatever_is_in_them),
	    cmocka_unit_test(what_is_no_whole_object_is_none),
	    cmocka_unit_test(texts_lose_their_escapes_and_nothing_else),
	    cmocka_unit_test(messages_of_the_shoveler_say_from_whom_a_datagram_was));
}
