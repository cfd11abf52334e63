/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sender_names.c - look up senders' host names in a process, with a simulated name service */
#include "tests/unit/test.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include "base/base.h"
#include "xrootd/input/sender_names.h"

enum { NAMED = 1, NAMELESS, FORGED, LAST };
#define SOON_MS 20000

/*
 * Replace the name service. Each name contains the address family that was asked for and the number
 * of lookups so far.
 */
int __wrap_getnameinfo(const struct sockaddr *a, socklen_t n, char *host, socklen_t size,
		       char *service, socklen_t service_size, int flags);
int __wrap_getnameinfo(const struct sockaddr *a, socklen_t n, char *host, socklen_t size,
		       char *service, socklen_t service_size, int flags)
{
	static unsigned lookups;
	int who = ((const unsigned char *)a)[n == sizeof(struct sockaddr_in) ? 7 : 23];
	(void)service, (void)service_size, (void)flags;
	snprintf(host, size, who == FORGED ? "%s-%u\n" : "%s-%u.example.org",
		 a->sa_family == AF_INET ? "v4" : "v6", ++lookups);
	return who == NAMELESS ? EAI_NONAME : 0;
}

static time_t now = 1700000000;
static bool socket_is_full;
static unsigned questions;

time_t __wrap_time(time_t *at);
time_t __wrap_time(time_t *at)
{
	if (at)
		*at = now;
	return now;
}

ssize_t __real_send(int fd, const void *data, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t n, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t n, int flags)
{
	questions++;
	if (!socket_is_full)
		return __real_send(fd, data, n, flags);
	errno = EAGAIN;
	return -1;
}

static struct sockaddr_in6 sender(uint8_t last)
{
	return (struct sockaddr_in6){
		.sin6_family = AF_INET6,
		.sin6_addr.s6_addr = { [10] = 0xff, [11] = 0xff, 192, 0, 2, last },
	};
}

static void assert_name(struct sender_names *s, uint8_t last, const char *want)
{
	const struct sockaddr_in6 a = sender(last);
	struct str got = sender_names_get(s, &a);
	if (!str_eq(got, str_of(want)))
		fail_msg("the name is \"" STR_FMT "\", not \"%s\"", STR_ARG(got), want);
}

/*
 * Wait until the name of this sender has arrived. The answers to all earlier questions arrive
 * before it.
 */
static void wait_for_name(struct sender_names *s, uint8_t last)
{
	const struct sockaddr_in6 a = sender(last);
	for (int i = 0; i < SOON_MS && str_peek(sender_names_get(s, &a)) == '['; i++)
		usleep(1000);
}

TEST(each_sender_is_looked_up_once)
{
	struct sender_names *s = sender_names_new(false);
	wait_for_name(s, NAMED);
	wait_for_name(s, LAST);
	assert_name(s, NAMED, "v6-1.example.org");
	assert_name(s, LAST, "v6-2.example.org");
	assert_name(s, NAMED, "v6-1.example.org");
	sender_names_free(s);
}

TEST(a_sender_without_a_valid_name_keeps_its_address)
{
	static const uint8_t senders[] = { NAMELESS, FORGED };
	struct sender_names *s = sender_names_new(false);
	for (size_t i = 0; i < ARRAY_SIZE(senders); i++) {
		const struct sockaddr_in6 a = sender(senders[i]);
		sender_names_get(s, &a);
	}
	wait_for_name(s, LAST);
	assert_name(s, NAMELESS, "[::ffff:192.0.2.2]");
	assert_name(s, FORGED, "[::ffff:192.0.2.3]");
	assert_name(s, LAST, "v6-3.example.org");
	sender_names_free(s);
}

/* /etc/hosts has no IPv4-mapped IPv6 addresses (::ffff:192.0.2.1). */
TEST(a_mapped_address_is_looked_up_as_ipv4_if_wanted)
{
	struct sender_names *s = sender_names_new(true);
	wait_for_name(s, NAMED);
	assert_name(s, NAMED, "v4-1.example.org");
	sender_names_free(s);
}

/* A question that could not be sent is repeated after 10 s, not after an hour as usual. */
TEST(a_question_that_was_not_sent_is_repeated)
{
	struct sender_names *s = sender_names_new(false);
	socket_is_full = true;
	questions = 0;
	assert_name(s, NAMED, "[::ffff:192.0.2.1]");
	socket_is_full = false;
	now += 10;
	assert_name(s, NAMED, "[::ffff:192.0.2.1]");
	assert_int_equal(questions, 1);
	now += 1;
	wait_for_name(s, NAMED);
	assert_name(s, NAMED, "v6-1.example.org");
	assert_int_equal(questions, 2);
	sender_names_free(s);
}

TEST(a_name_is_looked_up_again_after_an_hour)
{
	struct sender_names *s = sender_names_new(false);
	wait_for_name(s, NAMED);
	questions = 0;
	now += 3600;
	assert_name(s, NAMED, "v6-1.example.org");
	assert_int_equal(questions, 0);
	now += 1;
	for (int i = 0; i < SOON_MS; i++) {
		const struct sockaddr_in6 a = sender(NAMED);
		if (str_eq(sender_names_get(s, &a), str_of("v6-2.example.org")))
			break;
		usleep(1000);
	}
	assert_name(s, NAMED, "v6-2.example.org");
	assert_int_equal(questions, 1);
	sender_names_free(s);
}

int main(void)
{
	RUN(cmocka_unit_test(each_sender_is_looked_up_once),
	    cmocka_unit_test(a_sender_without_a_valid_name_keeps_its_address),
	    cmocka_unit_test(a_mapped_address_is_looked_up_as_ipv4_if_wanted),
	    cmocka_unit_test(a_question_that_was_not_sent_is_repeated),
	    cmocka_unit_test(a_name_is_looked_up_again_after_an_hour));
}
