/* SPDX-License-Identifier: BSD-3-Clause */
/* test_packet.c - find datagrams in packets of every link type, and reassemble fragments */
#include "tests/unit/test.h"
#include <errno.h>
#include <stdlib.h>
#include "tests/unit/packets.h"
#include "xrootd/input/fragments.h"

#define TEXT "what a server says"

static void expect_datagram(const struct ip_packet *p, const struct shape *s)
{
	struct udp_datagram d;
	assert_int_equal(packet_udp(p, &d), 0);
	assert_true(str_eq(d.data, STR(TEXT)));
	assert_int_equal(d.size, d.data.n);
	assert_int_equal(d.source_port, s->source_port);
	assert_int_equal(d.destination_port, s->destination_port);
	assert_int_equal(p->source.s6_addr[15], s->family == V6 ? 1 : s->address & 255);
	assert_int_equal(p->source.s6_addr[11], s->family == V6 ? 0 : 255);
}

static void make(struct buf *b, const struct shape *s)
{
	struct buf udp CLEANUP(buf_free) = { 0 };
	put_udp(&udp, s, STR(TEXT));
	put_packet(b, s, buf_str(&udp));
}

static void unwrap(struct shape s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct ip_packet p;
	s.source_port = 40000;
	s.destination_port = 9930;
	s.address = 0x0a000007;
	make(&b, &s);
	assert_int_equal(packet_ip(s.link, buf_str(&b), &p), 0);
	assert_false(packet_is_fragment(&p));
	expect_datagram(&p, &s);
}

TEST(every_link_type_gives_the_same_datagram)
{
	static const int links[] = { LINK_NULL, LINK_ETHERNET, LINK_RAW, 12, LINK_LOOP, LINK_SLL,
				     LINK_SLL2 };
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		unwrap((struct shape){ .link = links[i] });
		unwrap((struct shape){ .link = links[i], .family = V6 });
		unwrap((struct shape){ .link = links[i], .options = true, .padded = true });
		unwrap((struct shape){ .link = links[i], .family = V6, .options = true,
				       .padded = true });
	}
	unwrap((struct shape){ .link = 228 });
	unwrap((struct shape){ .link = 229, .family = V6 });
}

TEST(vlan_tags_are_skipped)
{
	unwrap((struct shape){ .link = LINK_ETHERNET, .vlans = 1 });
	unwrap((struct shape){ .link = LINK_ETHERNET, .vlans = 2, .family = V6 });
	unwrap((struct shape){ .link = LINK_SLL, .vlans = 1 });
}

TEST(packets_without_udp_are_refused)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct shape s = { .link = LINK_ETHERNET };
	struct ip_packet p;
	struct udp_datagram d;

	make(&b, &s);
	assert_int_equal(packet_ip(147, buf_str(&b), &p), -ENOTSUP);
	b.p[14 + 9] = 6;	/* the protocol is TCP */
	assert_int_equal(packet_ip(LINK_ETHERNET, buf_str(&b), &p), 0);
	assert_int_equal(packet_udp(&p, &d), -ENOMSG);
	b.p[12] = 0x08;
	b.p[13] = 0x06;		/* the EtherType is ARP */
	assert_int_equal(packet_ip(LINK_ETHERNET, buf_str(&b), &p), -ENOMSG);
}

/*
 * A capture with a snapshot length cuts packets, but the length in their headers stays that of the
 * whole packet.
 */
TEST(every_shorter_packet_is_bad_or_known_to_be_cut)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct ip_packet p;
	struct udp_datagram d;
	const struct shape s = { .link = LINK_ETHERNET, .family = V6, .options = true, .vlans = 1 };

	make(&b, &s);
	for (size_t n = 0; n < b.n; n++) {
		struct buf cut CLEANUP(buf_free) = { 0 };	/* a buffer of exactly n bytes */
		buf_add(&cut, (struct str){ b.p, n });
		if (packet_ip(s.link, buf_str(&cut), &p) < 0 || packet_udp(&p, &d) < 0)
			continue;
		assert_true(d.data.n < d.size);
		assert_int_equal(d.size, strlen(TEXT));
	}
}

/*
 * Add the 8-byte fragments of one datagram in the order of `order`. Returns true if the datagram
 * was reassembled.
 */
static bool put_together(struct fragments *f, int family, const size_t *order, size_t n,
			 int64_t now)
{
	struct shape s = { .link = LINK_RAW, .family = family, .id = 77, .fragment = true };
	struct buf udp CLEANUP(buf_free) = { 0 };
	bool whole = false;
	put_udp(&udp, &s, STR(TEXT));
	for (size_t i = 0; i < n; i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		struct ip_packet p;
		s.offset = 8 * order[i];
		s.more = s.offset + 8 < udp.n;
		struct str piece = str_skip(buf_str(&udp), s.offset);
		piece.n = piece.n < 8 ? piece.n : 8;
		put_packet(&b, &s, piece);
		assert_int_equal(packet_ip(s.link, buf_str(&b), &p), 0);
		assert_true(packet_is_fragment(&p));
		assert_false(whole);
		whole = fragments_add(f, &p, now);
		if (whole)
			expect_datagram(&p, &s);
	}
	return whole;
}

static struct fragments *new_fragments(void)
{
	struct fragments *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	return f;
}

TEST(fragments_may_come_in_any_order_and_twice)
{
	static const size_t orders[][5] = { { 0, 1, 2, 3, 9 }, { 3, 2, 1, 0, 9 }, { 1, 3, 0, 2, 9 },
					    { 2, 2, 0, 1, 3 }, { 3, 0, 3, 1, 2 } };
	struct fragments *f = new_fragments();
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		for (int family = V4; family <= V6; family++)
			assert_true(put_together(f, family, orders[i], i < 3 ? 4 : 5, 1000));
	fragments_free(f);
	assert_int_equal(f->given_up, 0);
	free(f);
}

TEST(a_fragment_that_is_missing_is_counted)
{
	static const size_t holes[][3] = { { 0, 1, 2 }, { 1, 2, 3 }, { 0, 1, 3 } };
	struct fragments *f = new_fragments();
	for (size_t i = 0; i < ARRAY_SIZE(holes); i++) {
		int64_t now = (int64_t)(i + 1) * 2 * FRAGMENTS_WAIT;
		assert_false(put_together(f, V4, holes[i], 3, now));
		assert_int_equal(f->given_up, i);
	}
	fragments_free(f);
	assert_int_equal(f->given_up, 3);
	free(f);
}

TEST(the_oldest_fragments_are_given_up_if_there_are_too_many)
{
	struct fragments *f = new_fragments();
	for (unsigned id = 0; id < FRAGMENTED_MAX + 10; id++) {
		struct ip_packet p = { .protocol = 17, .id = id, .more = true,
				       .data = STR("12345678"), .size = 8 };
		assert_false(fragments_add(f, &p, id));
	}
	assert_int_equal(f->given_up, 10);
	fragments_free(f);
	free(f);
}

TEST(a_fragment_beyond_64_kb_is_refused)
{
	struct fragments *f = new_fragments();
	struct ip_packet p = { .protocol = 17, .offset = 65528, .data = STR("123456789"),
			       .size = 9 };
	assert_false(fragments_add(f, &p, 0));
	fragments_free(f);
	assert_int_equal(f->given_up, 0);
	free(f);
}

/* RFC 4302: the length of an authentication header counts units of 4 bytes, less 2. */
TEST(an_authentication_header_is_counted_in_units_of_4_bytes)
{
	const struct shape s = { .link = LINK_RAW, .family = V6, .source_port = 40000,
				 .destination_port = 9930 };
	struct buf b CLEANUP(buf_free) = { 0 }, carried CLEANUP(buf_free) = { 0 };
	struct ip_packet p;
	wire_put(&carried, 17 << 8 | 4, 2);	/* UDP is next; this header has (4 + 2) * 4 bytes */
	for (size_t i = 2; i < 24; i++)
		buf_add_char(&carried, 0);
	put_udp(&carried, &s, STR(TEXT));
	put_packet(&b, &s, buf_str(&carried));
	b.p[6] = 51;
	assert_int_equal(packet_ip(LINK_RAW, buf_str(&b), &p), 0);
	expect_datagram(&p, &s);
}

/*
 * If the network card splits large packets, a capture shows them before the split, with length 0 in
 * the IP header. All bytes that follow then belong to the packet.
 */
TEST(length_0_means_all_that_follows)
{
	static const int families[] = { V4, V6 };
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		const struct shape s = { .link = LINK_RAW, .family = families[i],
					 .source_port = 40000, .destination_port = 9930,
					 .address = 0x0a000007 };
		struct buf b CLEANUP(buf_free) = { 0 };
		struct ip_packet p;
		make(&b, &s);
		size_t at = s.family == V6 ? 4 : 2, udp = s.family == V6 ? 40 : 20;
		b.p[at] = b.p[at + 1] = 0;
		b.p[udp + 4] = b.p[udp + 5] = 0;
		assert_int_equal(packet_ip(LINK_RAW, buf_str(&b), &p), 0);
		expect_datagram(&p, &s);
	}
}

TEST(datagram_is_at_least_as_long_as_its_header_and_within_its_packet)
{
	static const struct {
		unsigned length;
		int r;
	} cases[] = {
		{ 7, -EBADMSG }, { 8, 0 }, { 8 + sizeof(TEXT) - 1, 0 },
		{ 8 + sizeof(TEXT), -EBADMSG }, { 65535, -EBADMSG },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct shape s = { .link = LINK_RAW };
		struct buf b CLEANUP(buf_free) = { 0 };
		struct ip_packet p;
		struct udp_datagram d = { .size = 0 };
		make(&b, &s);
		b.p[20 + 4] = (char)(cases[i].length >> 8);
		b.p[20 + 5] = (char)cases[i].length;
		assert_int_equal(packet_ip(LINK_RAW, buf_str(&b), &p), 0);
		assert_int_equal(packet_udp(&p, &d), cases[i].r);
		assert_int_equal(d.size, cases[i].r ? 0 : cases[i].length - 8);
	}
}

/* An IP header is at least five 4-byte words long, and not longer than the packet. */
TEST(header_length_that_cannot_be_is_bad)
{
	static const char first[] = { 0x44, 0x40, 0x4f };
	for (size_t i = 0; i < sizeof(first); i++) {
		const struct shape s = { .link = LINK_RAW };
		struct buf b CLEANUP(buf_free) = { 0 };
		struct ip_packet p;
		make(&b, &s);
		b.p[0] = first[i];
		b.p[3] = 50;
		assert_int_equal(packet_ip(LINK_RAW, buf_str(&b), &p), -EBADMSG);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(every_link_type_gives_the_same_datagram),
	    cmocka_unit_test(vlan_tags_are_skipped),
	    cmocka_unit_test(packets_without_udp_are_refused),
	    cmocka_unit_test(every_shorter_packet_is_bad_or_known_to_be_cut),
	    cmocka_unit_test(fragments_may_come_in_any_order_and_twice),
	    cmocka_unit_test(a_fragment_that_is_missing_is_counted),
	    cmocka_unit_test(the_oldest_fragments_are_given_up_if_there_are_too_many),
	    cmocka_unit_test(a_fragment_beyond_64_kb_is_refused),
	    cmocka_unit_test(an_authentication_header_is_counted_in_units_of_4_bytes),
	    cmocka_unit_test(length_0_means_all_that_follows),
	    cmocka_unit_test(datagram_is_at_least_as_long_as_its_header_and_within_its_packet),
	    cmocka_unit_test(header_length_that_cannot_be_is_bad));
}
