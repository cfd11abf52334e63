/* SPDX-License-Identifier: BSD-3-Clause */
/* test_listing.c - read folder listings of nginx and S3, and build the URLs of objects */
#include "tests/unit/test.h"
#include <errno.h>
#include "formats/listing.h"
#include "formats/s3.h"

static void keep(void *arg, struct str name, uint64_t size)
{
	struct buf *b = arg;
	if (size == LISTING_FOLDER)
		buf_addf(b, STR_FMT "/ ", STR_ARG(name));
	else
		buf_addf(b, STR_FMT "=%llu ", STR_ARG(name), (unsigned long long)size);
}

static int take_folder(const char *json, struct buf *b)
{
	const struct listing_to to = { keep, b };
	b->n = 0;
	return listing_take_folder(str_of(json), &to);
}

TEST(listing_of_nginx_has_names_and_sizes)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	assert_int_equal(take_folder("[\n{ \"name\":\"n1\", \"type\":\"directory\" },\n"
				     "{ \"name\":\"a\\\"}b\", \"type\":\"file\", \"size\":12 },\n"
				     "{ \"name\":\"fifo\", \"type\":\"other\" }\n]\n", &b), 0);
	assert_true(str_eq(buf_str(&b), STR("n1/ a\"}b=12 ")));
	assert_int_equal(take_folder(" [ ] ", &b), 0);
	assert_int_equal(b.n, 0);
}

TEST(page_for_people_is_not_a_listing)
{
	static const char *const bad[] = {
		"", "<html>", "[", "{}", "[1]", "[{\"type\":\"file\"}]",
		"[{\"name\":\"a\"} {\"name\":\"b\"}]", "[{\"name\":\"a\"]", "[{\"name\":1}]",
	};
	struct buf b CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(take_folder(bad[i], &b), -EBADMSG);
}

static int take_page(const char *xml, struct buf *b, struct buf *next)
{
	const struct listing_to to = { keep, b };
	b->n = 0;
	return listing_take_page(str_of(xml), &to, next);
}

#ifdef HAVE_EXPAT
TEST(page_of_s3_has_keys_sizes_and_the_next_token)
{
	struct buf b CLEANUP(buf_free) = { 0 }, next CLEANUP(buf_free) = { 0 };
	assert_int_equal(take_page("<ListBucketResult xmlns=\"http://s3\"><Prefix>p/</Prefix>"
				   "<Contents><Key>p/n1/17.zst</Key><Size>5</Size>"
				   "<Owner><ID>1</ID></Owner></Contents><Contents><Size>7</Size>"
				   "<Key>p/a&amp;b</Key></Contents><NextContinuationToken>x/+=="
				   "</NextContinuationToken></ListBucketResult>", &b, &next), 0);
	assert_true(str_eq(buf_str(&b), STR("p/n1/17.zst=5 p/a&b=7 ")));
	assert_true(str_eq(buf_str(&next), STR("x/+==")));
	assert_int_equal(take_page("<ListBucketResult/>", &b, &next), 0);
	assert_int_equal(b.n + next.n, 0);
}

TEST(truncated_or_other_page_is_refused)
{
	static const char *const bad[] = {
		"", "x", "<Error><Code>a</Code></Error>", "<ListBucketResult>",
		"<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
		"<ListBucketResult><Contents><Key>a</Key><Size/></Contents></ListBucketResult>",
		"<!DOCTYPE a [<!ENTITY b \"c\">]><ListBucketResult>&b;</ListBucketResult>",
	};
	struct buf b CLEANUP(buf_free) = { 0 }, next CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(take_page(bad[i], &b, &next), -EBADMSG);
}
#else
TEST(page_of_s3_needs_expat)
{
	struct buf b CLEANUP(buf_free) = { 0 }, next CLEANUP(buf_free) = { 0 };
	assert_int_equal(take_page("<ListBucketResult/>", &b, &next), -EOPNOTSUPP);
}
#endif

TEST(url_of_an_object_is_escaped_as_in_its_signature)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	assert_true(s3_put_url(&b, "https://s3.example.org/", STR("s3://b/a b/n~1/1+.zst")));
	assert_true(str_eq(buf_str(&b), STR("https://s3.example.org/b/a%20b/n~1/1%2B.zst")));
	b.n = 0;
	assert_true(s3_put_list_url(&b, "https://s3", STR("s3://b/site a//"), STR("1/=")));
	assert_true(str_eq(buf_str(&b), STR("https://s3/b?continuation-token=1%2F%3D&list-type=2&"
					    "max-keys=1000&prefix=site%20a%2F")));
	b.n = 0;
	assert_true(s3_put_list_url(&b, "https://s3", STR("s3://b"), STR("")));
	assert_true(str_eq(buf_str(&b), STR("https://s3/b?list-type=2&max-keys=1000&prefix=")));
	assert_false(s3_put_url(&b, "https://s3", STR("s3:///a")));
	assert_false(s3_put_url(&b, "https://s3", STR("https://b/a")));
}

TEST(error_has_the_message_of_the_store)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	listing_put_error(&b, STR("<Error><Code>A</Code><Message>b c</Message></Error>"));
	assert_true(str_eq(buf_str(&b), STR("A: b c")));
	b.n = 0;
	listing_put_error(&b, STR("<html>\nno"));
	listing_put_error(&b, STR(" not here \nmore"));
	assert_true(str_eq(buf_str(&b), STR("not here")));
}

TEST(keys_come_from_the_profile)
{
	static const char text[] = "[a]\naws_access_key_id=1\naws_secret_access_key=2\n"
		"[default]\naws_access_key_id = 3 \r\n# x\naws_secret_access_key = 4/+=\n"
		"aws_session_token=5\n[b]\n";
	struct s3_keys k;
	assert_true(s3_take_keys(str_of(text), STR("default"), &k));
	assert_true(str_eq(k.id, STR("3")) && str_eq(k.secret, STR("4/+=")) &&
		    str_eq(k.session, STR("5")));
	assert_true(s3_take_keys(str_of(text), STR("a"), &k) && k.session.n == 0);
	assert_false(s3_take_keys(str_of(text), STR("b"), &k));
	assert_false(s3_take_keys(STR(""), STR("default"), &k));
}

int main(void)
{
	RUN(
#ifdef HAVE_EXPAT
	    cmocka_unit_test(page_of_s3_has_keys_sizes_and_the_next_token),
	    cmocka_unit_test(truncated_or_other_page_is_refused),
#else
	    cmocka_unit_test(page_of_s3_needs_expat),
#endif
	    cmocka_unit_test(listing_of_nginx_has_names_and_sizes),
	    cmocka_unit_test(page_for_people_is_not_a_listing),
	    cmocka_unit_test(url_of_an_object_is_escaped_as_in_its_signature),
	    cmocka_unit_test(error_has_the_message_of_the_store),
	    cmocka_unit_test(keys_come_from_the_profile));
}
