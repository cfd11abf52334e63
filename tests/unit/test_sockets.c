/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sockets.c - recognise connections in the kernel's messages about TCP sockets */
#include "tests/unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/sockets.h"

#define FIN_WAIT2 5

/* A message of sock_diag(7), which ends with one attribute. */
struct message {
	struct nlmsghdr head;
	struct inet_diag_msg of;
	struct nlattr attribute;
	/* placed so that it is not aligned to 8 bytes */
	unsigned char facts[sizeof(struct tcp_facts)];
};

static struct sockets *sockets;
static int kernel;	/* socket to which the test writes the kernel's answers */
static struct socket_seen seen;
static size_t n_seen;

/* Replace the netlink socket by one end of a socket pair. */
static void open_pair(void)
{
	int ends[2], r = sockets_open(&sockets);
	if (r == -ENOTSUP || r == -EPROTONOSUPPORT)	/* qemu-user gives these errors */
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	assert_true(dup2(ends[0], sockets_fd(sockets)) >= 0);
	close(ends[0]);
	kernel = ends[1];
	n_seen = 0;
}

static void close_pair(void)
{
	sockets_free(sockets);
	close_fd(&kernel);
}

static void take(void *arg, const struct socket_seen *s)
{
	(void)arg;
	seen = *s;
	n_seen++;
}

/* Send the first n bytes of a message, as the kernel would. */
static void tell(struct message m, size_t n)
{
	m.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	m.head.nlmsg_len = (uint32_t)n;
	assert_int_equal(send(kernel, &m, n, 0), n);
	assert_int_equal(sockets_ends(sockets, take, NULL), 0);
}

static const struct message closed_here = {
	.of = { .idiag_family = AF_INET, .idiag_state = FIN_WAIT2,
		.id = { .idiag_cookie = { 7, 1 } } },
	.attribute = { sizeof(struct nlattr) + sizeof(struct tcp_facts), INET_DIAG_INFO },
	.facts = { [offsetof(struct tcp_facts, bytes_acked)] = 10 },
};

TEST(a_connection_is_seen_with_its_numbers)
{
	open_pair();
	tell(closed_here, sizeof(closed_here));
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen.state, FIN_WAIT2);
	assert_int_equal(seen.cookie, 0x100000007);
	assert_int_equal(seen.facts_n, sizeof(struct tcp_facts));
	assert_memory_equal(&seen.facts, closed_here.facts, sizeof(seen.facts));
	close_pair();
}

/*
 * A time-wait socket has no struct tcp_info. The kernel reports it as FIN_WAIT2 if this side closed
 * first (net/ipv4/inet_diag.c).
 */
TEST(a_socket_without_numbers_is_ignored)
{
	struct message m = closed_here;
	open_pair();
	tell(m, offsetof(struct message, attribute));
	m.attribute.nla_type = INET_DIAG_SKMEMINFO;
	tell(m, sizeof(m));
	m.attribute.nla_type = INET_DIAG_INFO;
	m.attribute.nla_len = sizeof(m.attribute);	/* the attribute is empty */
	tell(m, offsetof(struct message, facts));
	assert_int_equal(n_seen, 0);
	close_pair();
}

TEST(a_message_that_is_cut_off_is_ignored)
{
	open_pair();
	tell(closed_here, offsetof(struct message, attribute) - 4);
	assert_int_equal(n_seen, 0);
	close_pair();
}

/* Send the last message of a dump, with an error or 0. */
static void end_dump(uint16_t type, int32_t error)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr of;	/* NLMSG_DONE has only its first member */
	} m = { .head = { .nlmsg_type = type, .nlmsg_flags = NLM_F_MULTI }, .of.error = error };
	size_t n = type == NLMSG_DONE ? NLMSG_HDRLEN + sizeof(error) : sizeof(m);
	m.head.nlmsg_len = (uint32_t)n;
	assert_int_equal(send(kernel, &m, n, 0), n);
}

/* Without module tcp_diag, the dump ends with NLMSG_DONE; without inet_diag, with NLMSG_ERROR. */
TEST(a_dump_that_failed_is_not_a_node_without_connections)
{
	static const uint16_t types[] = { NLMSG_DONE, NLMSG_ERROR };
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		open_pair();
		end_dump(types[i], -ENOENT);
		assert_int_equal(sockets_dump(sockets, false, take, NULL), -ENOENT);
		close_pair();
		open_pair();
		end_dump(NLMSG_DONE, 0);
		end_dump(types[i], -ENOMEM);
		assert_int_equal(sockets_dump(sockets, false, take, NULL), -ENOMEM);
		close_pair();
	}
}

TEST(a_kernel_without_ipv6_has_the_other_connections)
{
	open_pair();
	end_dump(NLMSG_DONE, 0);
	end_dump(NLMSG_ERROR, -ENOENT);
	assert_int_equal(sockets_dump(sockets, false, take, NULL), 0);
	close_pair();
}

int main(void)
{
	RUN(cmocka_unit_test(a_connection_is_seen_with_its_numbers),
	    cmocka_unit_test(a_socket_without_numbers_is_ignored),
	    cmocka_unit_test(a_message_that_is_cut_off_is_ignored),
	    cmocka_unit_test(a_dump_that_failed_is_not_a_node_without_connections),
	    cmocka_unit_test(a_kernel_without_ipv6_has_the_other_connections));
}
