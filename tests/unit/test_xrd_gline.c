/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_gline.c - turn lines of the g-stream into objects that every JSON parser accepts */
#include "tests/unit/test.h"
#include "formats/json_read.h"
#include "formats/xrootd/xrd_gline.h"

/* Check that the line becomes this object, or is refused if want is NULL. */
static void expect(char provider, const char *line, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str members;
	bool escaped = false;
	buf_add(&b, STR("before "));
	bool ok = xrd_g_put_object(&b, provider, str_of(line), &escaped);
	struct str got = str_skip(buf_str(&b), 7);
	if (ok != (want != NULL) || !str_eq(got, str_of(want ? want : "")))
		fail_msg("%s became %.*s", line, STR_ARG(got));
	assert_true(!ok || json_take_object(got, &members));
	assert_int_equal(escaped, ok && strstr(want, "\\\\3") != NULL);
}

TEST(a_valid_object_stays_as_it_is)
{
	expect('O', "{\"event\":\"oss_stats\",\"reads\":12,\"read_t\":-0.0042e+3,\"ok\":true,"
		    "\"list\":[1,[],{}]}",
		    "{\"event\":\"oss_stats\",\"reads\":12,\"read_t\":-0.0042e+3,\"ok\":true,"
		    "\"list\":[1,[],{}]}");
	expect('H',
	       " { \"HTTP_GET_200\" : {\"count\" : 3} }\r", "{\"HTTP_GET_200\":{\"count\":3}}");
	expect('T', "{\"remote\":\"a\\\"\\u00e9\\\\b\"}", "{\"remote\":\"a\\\"\xc3\xa9\\\\b\"}");
	expect('?', "{}", "{}");
}

/* XrdPfcFile.cc and XrdOfsTPC.cc print names by "%s", without escapes. */
TEST(names_without_escapes_are_taken_as_they_are)
{
	expect('C', "{\"lfn\":\"/a \"b\"\\n{,}\",\"size\":3}",
		    "{\"lfn\":\"/a \\\"b\\\"\\\\n{,}\",\"size\":3}");
	expect('C', "{\"remotes\":[\"h\":1\",\"i\"]}", "{\"remotes\":[\"h\\\":1\",\"i\"]}");
	expect('C', "{\"lfn\":\"/tab\there\x7f\"}", "{\"lfn\":\"/tab\\u0009here\\u007f\"}");
	expect('P', "{\"Src\":\"/caf\xe9 1\",\"Dst\":\"\"}",
		    "{\"Src\":\"/caf\\\\351\\\\0401\",\"Dst\":\"\"}");
	expect('C', "{\"lfn\":\"/caf\xc3\xa9\"}", "{\"lfn\":\"/caf\xc3\xa9\"}");
}

/* Writers other than XrdPfc, such as Python's json.dumps(), separate members by blanks. */
TEST(blanks_after_a_colon_may_stand_after_a_comma_too)
{
	expect('C', "{\"event\": \"file_close\", \"lfn\": \"/a \"b\"\", \"n\": 3 }",
		    "{\"event\":\"file_close\",\"lfn\":\"/a \\\"b\\\"\",\"n\":3}");
	expect('C', "{\"event\": \"file_close\",\"remotes\": [\"h\" , \"i\" ]\t}",
		    "{\"event\":\"file_close\",\"remotes\":[\"h\",\"i\"]}");
	expect('C', "{\"lfn\":\"/a\", \"b\",\"n\":3}", "{\"lfn\":\"/a\\\", \\\"b\",\"n\":3}");
}

TEST(a_line_that_is_no_object_is_refused)
{
	static const char *const lines[] = {
		"", "{", "[1]", "7", "{\"a\":1} b", "{\"a\":01}", "{\"a\":1.}", "{\"a\":1e}",
		"{\"a\":nan}", "{\"a\":-}", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}",
		"{\"a\":\"b}", "{\"a\":\"\\x\"}",
		"{\"a\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}",
	};
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		expect('O', lines[i], NULL);
	/* the name seems to end before its real end */
	expect('C', "{\"lfn\":\"/a\",\"b\",\"size\":3}", NULL);
}

TEST(copies_and_connections_name_their_client)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	assert_true(xrd_g_add_client(&b, 'P', STR("{\"Client\":\"u.7:26@[::1]\"}")));
	assert_true(xrd_g_add_client(&b, 'T', STR("{\"remote\":\" h\"}")));
	assert_true(str_eq(buf_str(&b), STR("u.7:26@[::1] h")));
	assert_false(xrd_g_add_client(&b, 'P', STR("{\"Client\":7}")));
	assert_false(xrd_g_add_client(&b, 'O', STR("{\"Client\":\"u\"}")));
}

TEST(values_that_a_cache_does_not_report_are_not_0)
{
	struct xrd_g_cache c;
	assert_true(xrd_g_cache(STR("{\"event\":\"file_close\",\"b_hit\":1,\"b_miss\":2,"
				    "\"b_bypass\":3}"), &c));
	assert_true(c.hit == 1 && c.miss == 2 && c.bypass == 3 && !c.has_origin);
	assert_true(xrd_g_cache(STR("{\"event\":\"file_close\",\"b_hit\":1,\"b_miss\":2,"
				    "\"b_bypass\":3,\"b_todisk\":4,\"b_prefetch\":5}"), &c));
	assert_true(c.has_origin && c.to_disk == 4 && c.prefetch == 5);
	assert_false(xrd_g_cache(STR("{\"event\":\"file_close\",\"b_hit\":1}"), &c));
	assert_false(xrd_g_cache(STR("{\"event\":\"purge\",\"b_hit\":1,\"b_miss\":2,"
				     "\"b_bypass\":3}"), &c));
}

TEST(a_copy_succeeded_only_with_0)
{
	struct xrd_g_tpc t;
	assert_true(xrd_g_tpc(STR("{\"Xeq\":{\"RC\":0,\"Type\":\"push\"},\"Size\":9}"), &t));
	assert_true(!t.failed && t.push && t.size == 9);
	assert_true(xrd_g_tpc(STR("{\"Xeq\":{\"RC\":-1},\"Size\":9}"), &t));
	assert_true(t.failed && !t.push);
	assert_true(xrd_g_tpc(STR("{\"TPC\":\"http\",\"Xeq\":{\"Beg\":\"2026-11-20T08:00:01.045Z\","
				  "\"End\":\"2026-11-20T08:00:03.9Z\",\"RC\":404},\"Size\":0}"),
			      &t));
	assert_true(t.http && t.failed && t.status == 404);
	assert_true(t.begin == 1795161601 && t.end == 1795161603);
	assert_true(xrd_g_tpc(STR("{\"Xeq\":{\"End\":\"yesterday\",\"RC\":0},\"Size\":0}"), &t));
	assert_true(!t.http && !t.begin && !t.end);
	assert_false(xrd_g_tpc(STR("{\"Xeq\":{},\"Size\":9}"), &t));
	assert_false(xrd_g_tpc(STR("{\"Xeq\":{\"RC\":0}}"), &t));
}

/* Check the path that the copy was written to. */
static void assert_copied_to(const char *object, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	assert_int_equal(xrd_g_add_side_path(&b, str_of(object), STR("Dst")), want != NULL);
	assert_true(str_eq(buf_str(&b), str_of(want ? want : "")));
}

TEST(a_copy_gives_the_path_that_it_wrote)
{
	assert_copied_to("{\"Dst\":\"xroot://h:1//d/f?a=//b\"}", "/d/f");
	assert_copied_to("{\"Dst\":\"xroot://[::1]:1/d/f\"}", "/d/f");
	assert_copied_to("{\"Dst\":\"//d//f\"}", "/d//f");
	assert_copied_to("{\"Dst\":\"xroot://h:1\"}", NULL);
	assert_copied_to("{\"Dst\":\"xroot://h:1//\"}", NULL);
	assert_copied_to("{\"Dst\":\"\"}", NULL);
	assert_copied_to("{\"Dst\":7}", NULL);
	assert_copied_to("{\"Src\":\"http://h:1//d/f\"}", NULL);
}

int main(void)
{
	RUN(cmocka_unit_test(a_valid_object_stays_as_it_is),
	    cmocka_unit_test(names_without_escapes_are_taken_as_they_are),
	    cmocka_unit_test(blanks_after_a_colon_may_stand_after_a_comma_too),
	    cmocka_unit_test(a_line_that_is_no_object_is_refused),
	    cmocka_unit_test(copies_and_connections_name_their_client),
	    cmocka_unit_test(values_that_a_cache_does_not_report_are_not_0),
	    cmocka_unit_test(a_copy_succeeded_only_with_0),
	    cmocka_unit_test(a_copy_gives_the_path_that_it_wrote));
}
