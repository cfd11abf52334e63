/* SPDX-License-Identifier: BSD-3-Clause */
/* test_reason.c - turn answers of servers and errors of libraries into text for one log line */
#include "tests/unit/tree.h"

#include "sinks/reason.h"

static void assert_answer(const char *answer, const char *want)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	reason_put_answer(&why, str_of(answer));
	assert_text(buf_str(&why), str_of(want));
}

static void assert_error(const char *error, const char *want)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	reason_put_error(&why, str_of(error));
	assert_text(buf_str(&why), str_of(want));
}

TEST(an_answer_is_one_line)
{
	assert_answer("", "");
	assert_answer(" no \r\n\r\n\tway\n", "no way");
	assert_answer("a\001b\033[31m\377", "a?b?[31m?");
	assert_answer("{\n  \"error\": \"x < y\"\n}\n", "{ \"error\": \"x < y\" }");
}

TEST(a_page_becomes_its_text_without_tags)
{
	assert_answer("<html>\r\n<head><title>413 Too Large</title></head>\r\n<body>\r\n"
		      "<center><h1>413 Request Too Large</h1></center>\r\n<hr>nginx</body></html>",
		      "413 Request Too Large nginx");
	assert_answer("<!DOCTYPE HTML>\n<HTML><HEAD>\n<STYLE>b { c: d }</STYLE></HEAD><script>\n"
		      "if (a < b) c();</script><p>Access <b>denied</b></p>", "Access denied");
	assert_answer("<html><head><title>Only a title</title></head><body></body></html>",
		      "Only a title");
	assert_answer("<?xml version=\"1.0\"?>\n<Error><Code>NoSuchBucket</Code>"
		      "<Message>It is gone</Message></Error>", "NoSuchBucket It is gone");
	assert_answer("<", "");
	assert_answer("<head", "");
	assert_answer("<head>x", "x");
	assert_answer("<p>cut<scri", "cut");
}

TEST(a_long_answer_is_cut)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	char text[3000];
	memset(text, 'x', sizeof(text));
	reason_put_answer(&why, (struct str){ text, sizeof(text) });
	assert_int_equal(why.n, 600);
}

TEST(an_error_of_tls_is_explained_in_words)
{
	assert_error("Connection refused", "Connection refused");
	assert_error("SSL certificate problem: certificate has expired",
		     "certificate expired (SSL certificate problem: certificate has expired)");
	assert_error("error:0A00010B:SSL routines::wrong version number",
		     "TLS sent to a port without TLS (error:0A00010B:SSL routines::wrong version "
		     "number)");
	assert_error("<h1>400 Bad Request</h1>The plain HTTP request was sent to HTTPS port",
		     "plain HTTP sent to a TLS port (400 Bad Request The plain HTTP request was "
		     "sent to HTTPS port)");
}

int main(void)
{
	RUN(cmocka_unit_test(an_answer_is_one_line),
	    cmocka_unit_test(a_page_becomes_its_text_without_tags),
	    cmocka_unit_test(a_long_answer_is_cut),
	    cmocka_unit_test(an_error_of_tls_is_explained_in_words));
}
