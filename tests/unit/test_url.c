/* SPDX-License-Identifier: BSD-3-Clause */
/* test_url.c - refuse URLs with a login, and add a parameter to the query if it is missing */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>
#include "sinks/url.h"

#ifdef HAVE_CURL
static void expect_url(const char *url, int want, bool want_https)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	bool is_https = !want_https;
	int r = url_check(url, &is_https, &why);

	if (r != want || (r == 0 && is_https != want_https) || (r < 0) != (why.n > 0))
		fail_msg("%s: %d, https %d, \"" STR_FMT "\"", url, r, is_https,
			 STR_ARG(buf_str(&why)));
	assert_null(why.n ? memmem(why.p, why.n, "secret", 6) : NULL);
}

TEST(a_user_or_password_in_a_url_is_refused_and_not_repeated)
{
	expect_url("https://archive.example.org:443@localhost:8443/ok", -EACCES, true);
	expect_url("https://ann:secret@localhost/", -EACCES, true);
	expect_url("http://ann@localhost", -EACCES, false);
	expect_url("https://@localhost/", -EACCES, true);
	expect_url("ann:secret@localhost/", -EACCES, true);
	expect_url("https//ann:secret@localhost/", -EACCES, true);
}

TEST(a_url_must_have_http_or_https)
{
	expect_url("https://localhost:8443/a@b?c=d@e", 0, true);
	expect_url("http://[::1]:8080", 0, false);
	expect_url("ftp://localhost/", -EINVAL, false);
	expect_url("localhost", -EINVAL, false);
	expect_url("", -EINVAL, false);
}

static void expect_parameter(const char *url, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	int r = url_add_parameter(&b, url, "database", "nodometer", &why);

	if (r < 0)	/* libcurl 7.61 cannot edit a query */
		assert_non_null(memmem(why.p, why.n, "?database=nodometer", 19));
	else if (!str_eq(buf_str(&b), str_of(want)))
		fail_msg("%s: " STR_FMT, url, STR_ARG(buf_str(&b)));
}

TEST(a_parameter_is_added_unless_the_query_has_it)
{
	expect_parameter("https://h:8443", "https://h:8443/?database=nodometer");
	expect_parameter("https://h/a?b=c", "https://h/a?b=c&database=nodometer");
	expect_parameter("https://h/?database=site", "https://h/?database=site");
	expect_parameter("https://h/?b=c&database=site", "https://h/?b=c&database=site");
	expect_parameter("https://h/?b=?database=x", "https://h/?b=?database=x&database=nodometer");
	expect_parameter("https://h/#?database=x", "https://h/?database=nodometer#?database=x");
}

static void expect_query(const char *url, const char *query, const char *without)
{
	struct buf got CLEANUP(buf_free) = { 0 }, rest CLEANUP(buf_free) = { 0 };
	struct buf again CLEANUP(buf_free) = { 0 };

	assert_int_equal(url_get_query(&got, url), 0);
	assert_string_equal(got.p, query);
	assert_int_equal(url_set_query(&rest, url, ""), 0);
	assert_string_equal(rest.p, without);
	assert_int_equal(url_set_query(&again, rest.p, query), 0);
	assert_string_equal(again.p, url);
}

TEST(the_query_of_a_url_is_taken_out_and_set)
{
	expect_query("http://a:1/?query=a+b%20c&d=%41", "query=a+b%20c&d=%41", "http://a:1/");
	expect_query("https://a/x?y", "y", "https://a/x");
	expect_query("http://a/x", "", "http://a/x");
}
#endif

int main(void)
{
#ifdef HAVE_CURL
	RUN(cmocka_unit_test(a_user_or_password_in_a_url_is_refused_and_not_repeated),
	    cmocka_unit_test(a_url_must_have_http_or_https),
	    cmocka_unit_test(a_parameter_is_added_unless_the_query_has_it),
	    cmocka_unit_test(the_query_of_a_url_is_taken_out_and_set));
#else
	return 77;
#endif
}
