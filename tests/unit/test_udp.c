/* SPDX-License-Identifier: BSD-3-Clause */
/* test_udp.c - send packets to hosts that come and go, with a simulated clock and name service */
#include "tests/unit/rogue.h"

#include <netdb.h>
#include "base/files.h"
#include "sinks/udp.h"
#include "tests/unit/clock_ahead.h"
#include "tests/unit/descriptors.h"
#include "tests/unit/heard.h"
#include "tests/unit/tree.h"

#define SOON_MS 20000

/*
 * The name service's answer to each name: a list of addresses, which may be empty. If it is NULL,
 * there is no answer.
 */
static const char *const *addresses;

int __real_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret)
{
	struct addrinfo **next = ret;
	if (hints->ai_flags & AI_NUMERICHOST)
		return __real_getaddrinfo(node, service, hints, ret);
	while (!addresses)
		pause();
	for (size_t i = 0; addresses[i]; i++, next = &(*next)->ai_next)
		if (__real_getaddrinfo(addresses[i], service, hints, next) != 0)
			return EAI_FAIL;
	return addresses[0] ? 0 : EAI_NONAME;
}

struct node {
	struct udp udp;
	struct heard heard;
	struct listener listener;
};

static void begin(struct node *n, const char *destinations)
{
	struct str bad;
	later_s = 0;
	addresses = NULL;
	*n = (struct node){ .listener = { hear_line, &n->heard } };
	assert_int_equal(udp_init(&n->udp, str_of(destinations), &n->listener, &bad), 0);
}

static void send_text(struct node *n, const char *text)
{
	udp_send(&n->udp, str_of(text));
}

/* Receive a packet with this text. Returns the port of its sender. */
static int receive(int fd, const char *text)
{
	char got[256];
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	assert_int_equal(poll(&ready, 1, SOON_MS), 1);
	ssize_t n = recvfrom(fd, got, sizeof(got), 0, (struct sockaddr *)&from, &size);
	assert_int_equal(n, strlen(text));
	assert_memory_equal(got, text, (size_t)n);
	return ntohs(from.sin_port);
}

static int listen_here(char *where, size_t size)
{
	int port, fd = listen_at_loopback(SOCK_DGRAM, 0, &port);
	snprintf(where, size, "127.0.0.1:%d", port);
	return fd;
}

/*
 * Connect the receiver to a sender. The receiver keeps its port and refuses packets of other
 * senders.
 */
static void is_for(int fd, const struct sockaddr_in *sender)
{
	assert_int_equal(connect(fd, (const struct sockaddr *)sender, sizeof(*sender)), 0);
}

static void leave(int fd)
{
	struct sockaddr_in nobody = { .sin_family = AF_INET, .sin_port = htons(9) };
	nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	is_for(fd, &nobody);
}

static void come_back(int fd, const struct node *n)
{
	struct sockaddr_in sender;
	socklen_t size = sizeof(sender);
	assert_int_equal(getsockname(n->udp.to[0].fd, (struct sockaddr *)&sender, &size), 0);
	is_for(fd, &sender);
}

TEST(a_receiver_that_goes_is_reported_once_and_its_return_if_it_lasts)
{
	char where[32];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	leave(fd);
	begin(&n, where);
	/* the error for each packet is reported when the next packet is sent */
	for (int i = 0; i < 4; i++)
		send_text(&n, "lost");
	assert_lines(&n.heard, 1, 0, "Connection refused");
	assert_lines(&n.heard, 1, 0, where);
	assert_ptr_equal(udp_failing(&n.udp), &n.udp.to[0]);

	come_back(fd, &n);
	later_s = 10;		/* after this time the last error has been received */
	send_text(&n, "10");
	receive(fd, "10");
	later_s = 70;
	send_text(&n, "70");
	receive(fd, "70");
	assert_lines(&n.heard, 1, 0, "");
	later_s = 76;
	send_text(&n, "76");
	receive(fd, "76");
	assert_lines(&n.heard, 1, 1, "it works again");
	assert_null(udp_failing(&n.udp));
	udp_free(&n.udp);
}

TEST(an_address_that_stays_keeps_its_socket)
{
	char where[32];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	begin(&n, where);
	send_text(&n, "first");
	int from = receive(fd, "first");
	int64_t looked_up_s = n.udp.to[0].looked_up_s;
	later_s = 3599;
	send_text(&n, "in an hour");
	assert_int_equal(receive(fd, "in an hour"), from);
	assert_int_equal(n.udp.to[0].looked_up_s, looked_up_s);
	later_s = 3601;
	send_text(&n, "after it");
	assert_int_equal(receive(fd, "after it"), from);
	assert_true(n.udp.to[0].looked_up_s > looked_up_s);
	assert_lines(&n.heard, 0, 0, "");
	udp_free(&n.udp);
}

/* Sending to the broadcast address fails, because the socket lacks SO_BROADCAST (ip(7)). */
TEST(a_destination_without_a_route_delays_no_other)
{
	char where[32], both[64];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	snprintf(both, sizeof(both), "255.255.255.255:9, %s", where);
	begin(&n, both);
	for (later_s = 0; later_s < 200; later_s += 2) {
		send_text(&n, "to the other");
		receive(fd, "to the other");
	}
	assert_lines(&n.heard, 1, 0, "255.255.255.255:9: ");
	assert_ptr_equal(udp_failing(&n.udp), &n.udp.to[0]);
	assert_int_equal(n.udp.to[0].retry_s, 64);
	udp_free(&n.udp);
}

TEST(a_packet_that_is_too_large_is_reported_and_others_arrive)
{
	static char large[70000];
	char where[32];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	begin(&n, where);
	memset(large, 'x', sizeof(large) - 1);
	send_text(&n, large);
	assert_lines(&n.heard, 1, 0, "Message too long");
	send_text(&n, "small");
	receive(fd, "small");
	later_s = 66;
	send_text(&n, "small");
	receive(fd, "small");
	assert_lines(&n.heard, 1, 1, "it works again");
	udp_free(&n.udp);
}

/*
 * Send a packet after this many seconds. The packet may wait for another lookup of the name, and
 * must reach both destinations.
 */
static void send_to_both(struct node *n, int fd, int seconds, const char *text)
{
	later_s = seconds;
	n->udp.waited = false;
	send_text(n, text);
	receive(fd, text);
	receive(fd, text);
}

TEST(a_name_without_an_answer_delays_no_other_and_is_looked_up_again)
{
	static const char *const here[] = { "127.0.0.1", NULL }, *const none[] = { NULL };
	char where[32], both[64];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	snprintf(both, sizeof(both), "name%s %s", strchr(where, ':'), where);
	begin(&n, both);
	/* no waiting time is left, as if a slow machine had used it up */
	n.udp.first_wait_ms = 0;
	send_text(&n, "first");
	receive(fd, "first");
	assert_lines(&n.heard, 1, 0, "its name is still being looked up");
	assert_int_equal(kill(n.udp.to[0].lookup.pid, SIGKILL), 0);
	for (int i = 0; n.udp.to[0].lookup.pid && i < SOON_MS; i++) {
		send_text(&n, "next");
		receive(fd, "next");
		usleep(1000);
	}
	assert_lines(&n.heard, 2, 0, "no answer from the name service");

	/* the name service first answers that the name does not exist, then gives an address */
	addresses = none;
	later_s = 3;
	n.udp.waited = false;
	n.udp.first_wait_ms = SOON_MS;
	send_text(&n, "none");
	receive(fd, "none");
	assert_lines(&n.heard, 3, 0, gai_strerror(EAI_NONAME));
	addresses = here;
	send_to_both(&n, fd, 10, "both");
	assert_lines(&n.heard, 3, 1, "it works again");

	/* an hour later the name does not exist any more, but the known address stays in use */
	addresses = none;
	send_to_both(&n, fd, 4000, "on");
	assert_lines(&n.heard, 3, 1, "");

	/* a name service that does not answer makes no difference: the address is known */
	addresses = NULL;
	n.udp.first_wait_ms = 0;
	send_to_both(&n, fd, 8000, "slow");
	assert_lines(&n.heard, 3, 1, "");
	udp_free(&n.udp);
}

/*
 * Only the second address has a receiver. An error of the first address makes the sender use the
 * second.
 */
TEST(the_address_that_takes_packets_is_used)
{
	static const char *const two[] = { "127.0.0.2", "127.0.0.1", NULL };
	char where[32], name[32];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	snprintf(name, sizeof(name), "name%s", strchr(where, ':'));
	begin(&n, name);
	addresses = two;
	n.udp.first_wait_ms = SOON_MS;
	send_text(&n, "lost");
	send_text(&n, "second");
	receive(fd, "second");
	assert_lines(&n.heard, 1, 0, "Connection refused");
	send_text(&n, "third");
	receive(fd, "third");
	assert_int_equal(n.udp.to[0].at, 1);
	udp_free(&n.udp);
}

/* A sender runs for years: at each error it goes on to the next address. */
TEST(changing_the_address_leaves_no_descriptor_open)
{
	static const char *const two[] = { "127.0.0.2", "127.0.0.3", NULL };
	char where[32], name[32];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	int changes = 0;
	assert_true(fd >= 0);
	snprintf(name, sizeof(name), "name%s", strchr(where, ':'));
	begin(&n, name);
	addresses = two;
	n.udp.first_wait_ms = SOON_MS;
	send_text(&n, "lost");
	size_t before = open_descriptors();
	for (int i = 0; i < 10; i++) {
		size_t at = n.udp.to[0].at;
		send_text(&n, "lost");
		changes += n.udp.to[0].at != at;
	}
	assert_true(changes > 1);
	assert_int_equal(open_descriptors(), before);
	udp_free(&n.udp);
}

TEST(a_destination_is_a_host_and_a_port_of_1_to_65535)
{
	static const struct {
		const char *text, *host;
	} cases[] = {
		{ "h:1", "h" }, { "h:65535", "h" }, { "[::1]:5", "::1" }, { "h:65536", NULL },
		{ "h:0", NULL }, { "h:", NULL }, { ":5", NULL }, { "h", NULL }, { "::1:5", NULL },
		{ "[::1:5", NULL }, { "[]:5", NULL }, { "h:5x", NULL }, { "h:-5", NULL },
	};
	struct udp u;
	struct str bad;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int r = udp_init(&u, str_of(cases[i].text), NULL, &bad);
		if (r != (cases[i].host ? 0 : -EINVAL))
			fail_msg("%s: %d", cases[i].text, r);
		if (cases[i].host)
			assert_string_equal(u.to[0].host, cases[i].host);
		udp_free(&u);
	}
}

TEST(there_may_be_only_so_many_destinations)
{
	struct buf all CLEANUP(buf_free) = { 0 };
	struct udp u;
	struct str bad;
	for (int i = 0; i < UDP_DESTINATIONS_MAX; i++)
		buf_addf(&all, "%sh%d:5", i ? "," : "", i);
	assert_int_equal(udp_init(&u, buf_str(&all), NULL, &bad), 0);
	assert_int_equal(u.n, UDP_DESTINATIONS_MAX);
	udp_free(&u);
	buf_addf(&all, ",more:5");
	assert_int_equal(udp_init(&u, buf_str(&all), NULL, &bad), -EINVAL);
	assert_int_equal(bad.n, 6);
	udp_free(&u);
}

/* A host that moves is found at its new address within an hour. */
TEST(an_address_that_the_name_no_longer_has_is_left)
{
	static const char *const before[] = { "127.0.0.2", NULL }, *const after[] = { "127.0.0.1",
										      NULL };
	char where[32], name[32];
	struct node n;
	int fd CLEANUP(close_fd) = listen_here(where, sizeof(where));
	snprintf(name, sizeof(name), "name%s", strchr(where, ':'));
	begin(&n, name);
	addresses = before;
	n.udp.first_wait_ms = SOON_MS;
	send_text(&n, "lost");
	addresses = after;
	later_s = 3601;
	n.udp.waited = false;
	send_text(&n, "after it");
	receive(fd, "after it");
	udp_free(&n.udp);
}

static void assert_found(const char *destinations, const char *const *answer, int r,
			 const char *want)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	struct node n;
	begin(&n, destinations);
	addresses = answer;
	assert_int_equal(udp_find(&n.udp, answer ? SOON_MS : 1, &said), r);
	assert_text(buf_str(&said), str_of(want));
	udp_free(&n.udp);
}

TEST(a_probe_tells_which_destinations_have_an_address)
{
	static const char *const here[] = { "127.0.0.1", NULL }, *const none[] = { NULL };
	char want[160];
	assert_found("127.0.0.1:9 name:7", here, 0,
		     "127.0.0.1:9: has an address; UDP gives no confirmation, "
		     "name:7: has an address; UDP gives no confirmation");
	snprintf(want, sizeof(want), "name:7: %s, "
		 "127.0.0.1:9: has an address; UDP gives no confirmation",
		 gai_strerror(EAI_NONAME));
	assert_found("name:7 127.0.0.1:9", none, -ENOENT, want);
	assert_found("name:7", NULL, -ENOENT, "name:7: no answer from the name service");
}

int main(void)
{
	RUN(cmocka_unit_test(a_destination_is_a_host_and_a_port_of_1_to_65535),
	    cmocka_unit_test(there_may_be_only_so_many_destinations),
	    cmocka_unit_test(a_receiver_that_goes_is_reported_once_and_its_return_if_it_lasts),
	    cmocka_unit_test(an_address_that_stays_keeps_its_socket),
	    cmocka_unit_test(a_destination_without_a_route_delays_no_other),
	    cmocka_unit_test(a_packet_that_is_too_large_is_reported_and_others_arrive),
	    cmocka_unit_test(a_name_without_an_answer_delays_no_other_and_is_looked_up_again),
	    cmocka_unit_test(the_address_that_takes_packets_is_used),
	    cmocka_unit_test(changing_the_address_leaves_no_descriptor_open),
	    cmocka_unit_test(an_address_that_the_name_no_longer_has_is_left),
	    cmocka_unit_test(a_probe_tells_which_destinations_have_an_address));
}
