/* SPDX-License-Identifier: BSD-3-Clause */
/* test_forward.c - forward a datagram in IP packets with its own source, fragmented to the MTU */
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "base/base.h"
#include "xrootd/input/forward.h"

enum { SOCKET = 1000, PACKETS = 8, BYTES = 512, PORT = 9930 };

static struct {
	unsigned char bytes[PACKETS][BYTES];
	size_t size[PACKETS], n, most;	/* .most: packets before sendto() fails */
} sent;

ssize_t sendto(int fd, const void *bytes, size_t n, int flags, const struct sockaddr *to,
	       socklen_t size)
{
	(void)flags;
	(void)to;
	(void)size;
	assert_int_equal(fd, SOCKET);
	assert_true(sent.n < PACKETS && n <= BYTES);
	if (sent.n == sent.most) {
		errno = ENETUNREACH;
		return -1;
	}
	memcpy(sent.bytes[sent.n], bytes, n);
	sent.size[sent.n++] = n;
	return (ssize_t)n;
}

static struct in6_addr address(const char *text)
{
	struct in6_addr a;
	assert_int_equal(inet_pton(AF_INET6, text, &a), 1);
	return a;
}

static struct forward forward_to(const char *text, size_t mtu)
{
	memset(&sent, 0, sizeof(sent));
	sent.most = PACKETS;
	return (struct forward){ .fd = SOCKET, .mtu = mtu, .to = {
		.sin6_family = AF_INET6, .sin6_port = htons(PORT), .sin6_addr = address(text),
	} };
}

static void send_bytes(struct forward *f, const char *from, size_t n)
{
	static char bytes[BYTES];
	const struct in6_addr a = address(from);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)i;
	forward_send(f, &a, 1094, (struct str){ bytes, n });
}

static unsigned two_bytes(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

#define FROM "::ffff:192.0.2.7"

TEST(a_datagram_that_fits_is_one_packet_of_its_source)
{
	static const unsigned char from[] = { 192, 0, 2, 7 }, to[] = { 192, 0, 2, 1 };
	struct forward f = forward_to("::ffff:192.0.2.1", 128);
	send_bytes(&f, FROM, 100);	/* 128 bytes with the IP and UDP headers */
	const unsigned char *p = sent.bytes[0];
	assert_int_equal(sent.n, 1);
	assert_int_equal(sent.size[0], 128);
	assert_int_equal(p[0], 0x45);
	/* the packet is neither a fragment nor followed by one */
	assert_int_equal(two_bytes(p + 6), 0);
	assert_int_equal(p[8], 64);
	assert_int_equal(p[9], IPPROTO_UDP);
	assert_memory_equal(p + 12, from, 4);
	assert_memory_equal(p + 16, to, 4);
	assert_int_equal(two_bytes(p + 20), 1094);
	assert_int_equal(two_bytes(p + 22), PORT);
	assert_int_equal(two_bytes(p + 24), 108);
	assert_int_equal(two_bytes(p + 26), 0);	/* the packet has no checksum */
	assert_int_equal(p[28 + 99], 99);
	assert_int_equal(f.sent, 1);
}

TEST(a_larger_datagram_has_fragments_of_multiples_of_8_bytes)
{
	static const size_t sizes[] = { 104, 104, 28 };
	struct forward f = forward_to("::ffff:192.0.2.1", 127);
	size_t at = 0;
	send_bytes(&f, FROM, 228);
	assert_int_equal(sent.n, ARRAY_SIZE(sizes));
	for (size_t i = 0; i < sent.n; i++, at += sizes[i - 1]) {
		const unsigned char *p = sent.bytes[i];
		assert_int_equal(sent.size[i], 20 + sizes[i]);
		assert_int_equal(two_bytes(p + 4), two_bytes(sent.bytes[0] + 4));
		assert_int_equal(two_bytes(p + 6), (i < 2 ? 0x2000 : 0) | at / 8);
	}
	assert_int_equal(f.sent, 1);
}

TEST(packets_have_different_ids_but_0)
{
	static const unsigned ids[] = { 65534, 65535, 1 };
	struct forward f = forward_to("::ffff:192.0.2.1", 1500);
	f.id = 65533;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		send_bytes(&f, FROM, 1);
		assert_int_equal(two_bytes(sent.bytes[i] + 4), ids[i]);
	}
}

/* Return the checksum of an IPv6 packet that carries `udp` bytes; 0xffff if correct (RFC 1071). */
static uint32_t sum_of(const unsigned char *packet, size_t udp)
{
	uint32_t sum = IPPROTO_UDP + (uint32_t)udp;
	for (size_t i = 8; i < 40; i += 2)
		sum += two_bytes(packet + i);
	for (size_t i = 0; i + 1 < udp; i += 2)
		sum += two_bytes(packet + 40 + i);
	sum += udp & 1 ? (uint32_t)packet[40 + udp - 1] << 8 : 0;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

TEST(a_packet_of_ipv6_has_a_checksum)
{
	for (size_t n = 30; n < 32; n++) {
		struct forward f = forward_to("2001:db8::1", 1280);
		send_bytes(&f, "2001:db8::7", n);
		assert_int_equal(sent.n, 1);
		assert_int_equal(sent.size[0], 48 + n);
		assert_int_equal(sent.bytes[0][6], IPPROTO_UDP);
		assert_int_equal(two_bytes(sent.bytes[0] + 4), 8 + n);
		assert_true(two_bytes(sent.bytes[0] + 46) != 0);
		assert_int_equal(sum_of(sent.bytes[0], 8 + n), 0xffff);
	}
}

/* A UDP packet whose checksum field is 0 was sent without a checksum (RFC 768). */
TEST(no_packet_of_ipv6_has_the_checksum_0)
{
	const struct in6_addr a = address("2001:db8::7");
	struct forward f = forward_to("2001:db8::1", 1280);
	for (unsigned i = 0; i <= UINT16_MAX; i++) {
		const char bytes[] = { (char)(i >> 8), (char)i };
		sent.n = 0;
		forward_send(&f, &a, 1094, (struct str){ bytes, sizeof(bytes) });
		if (two_bytes(sent.bytes[0] + 46) == 0)
			fail_msg("bytes %#x", i);
	}
}

TEST(fragments_of_ipv6_have_a_header_of_their_own)
{
	static const size_t sizes[] = { 72, 72, 14 };
	struct forward f = forward_to("2001:db8::1", 127);
	size_t at = 0;
	send_bytes(&f, "2001:db8::7", 150);
	assert_int_equal(sent.n, ARRAY_SIZE(sizes));
	for (size_t i = 0; i < sent.n; i++, at += sizes[i - 1]) {
		const unsigned char *p = sent.bytes[i];
		assert_int_equal(sent.size[i], 48 + sizes[i]);
		assert_int_equal(two_bytes(p + 4), 8 + sizes[i]);
		assert_int_equal(p[6], IPPROTO_FRAGMENT);
		assert_int_equal(p[40], IPPROTO_UDP);
		assert_int_equal(two_bytes(p + 42), at | (i < 2));
		assert_int_equal(two_bytes(p + 46), f.id);
	}
}

TEST(a_source_of_the_other_version_is_counted_and_not_sent)
{
	struct forward f = forward_to("::ffff:192.0.2.1", 1500);
	send_bytes(&f, "2001:db8::7", 1);
	f.to.sin6_addr = address("2001:db8::1");
	send_bytes(&f, FROM, 1);
	assert_int_equal(f.foreign, 2);
	assert_int_equal(f.sent + f.failed + sent.n, 0);
	f.fd = -1;
	send_bytes(&f, FROM, 1);
	assert_int_equal(f.foreign, 2);
}

TEST(a_datagram_with_a_fragment_that_fails_is_failed)
{
	struct forward f = forward_to("::ffff:192.0.2.1", 127);
	sent.most = 1;
	send_bytes(&f, FROM, 228);
	assert_int_equal(sent.n, 1);
	assert_int_equal(f.sent, 0);
	assert_int_equal(f.failed, 1);
	assert_int_equal(f.error, ENETUNREACH);
}

TEST(a_loop_is_a_port_of_this_host)
{
	static const uint16_t ports[] = { 9931, PORT }, others[] = { 9931 };
	struct forward f = forward_to("::ffff:127.0.0.1", 1500);
	assert_true(forward_is_to(&f, ports, ARRAY_SIZE(ports)));
	assert_false(forward_is_to(&f, others, ARRAY_SIZE(others)));
	f.to.sin6_addr = address("::ffff:192.0.2.1");	/* an address reserved for documentation */
	assert_false(forward_is_to(&f, ports, ARRAY_SIZE(ports)));
}

int main(void)
{
	RUN(cmocka_unit_test(a_datagram_that_fits_is_one_packet_of_its_source),
	    cmocka_unit_test(a_larger_datagram_has_fragments_of_multiples_of_8_bytes),
	    cmocka_unit_test(packets_have_different_ids_but_0),
	    cmocka_unit_test(a_packet_of_ipv6_has_a_checksum),
	    cmocka_unit_test(no_packet_of_ipv6_has_the_checksum_0),
	    cmocka_unit_test(fragments_of_ipv6_have_a_header_of_their_own),
	    cmocka_unit_test(a_source_of_the_other_version_is_counted_and_not_sent),
	    cmocka_unit_test(a_datagram_with_a_fragment_that_fails_is_failed),
	    cmocka_unit_test(a_loop_is_a_port_of_this_host));
}
