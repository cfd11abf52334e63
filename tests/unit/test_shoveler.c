/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shoveler.c - read messages of the XRootD shoveler: the datagram in each, and its sender */
#include "tests/unit/test.h"
#include <arpa/inet.h>
#include <errno.h>
#include "formats/xrootd/shoveler.h"

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

TEST(messages_of_the_shoveler_name_the_sender_of_a_datagram)
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
	RUN(cmocka_unit_test(messages_of_the_shoveler_name_the_sender_of_a_datagram),
	    cmocka_unit_test(messages_of_the_shoveler_may_name_a_server));
}
