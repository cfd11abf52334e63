/* SPDX-License-Identifier: BSD-3-Clause */
/* packets.h - put UDP, IP and link-layer headers around a datagram, as in a capture file */
#pragma once

#include "base/wire.h"

enum { V4, V6 };
enum {
	LINK_NULL = 0, LINK_ETHERNET = 1, LINK_RAW = 101, LINK_LOOP = 108, LINK_SLL = 113,
	LINK_SLL2 = 276
};

/* Description of a packet. An all-zero shape is IPv4 on BSD loopback (LINK_NULL). */
struct shape {
	int link, family;
	unsigned vlans;
	bool options;		/* add IPv4 options, or two IPv6 extension headers */
	bool padded;		/* add 18 bytes after the packet, like Ethernet padding */
	uint16_t id;		/* IP identification, the same in all fragments of a packet */
	size_t offset;
	bool fragment, more;
	uint16_t source_port, destination_port;
	uint32_t address;	/* IPv4 source address */
};

static void put_bytes(struct buf *b, struct str s)
{
	buf_add(b, s);
}

static void put_link(struct buf *b, const struct shape *s)
{
	unsigned protocol = s->family == V6 ? 0x86dd : 0x0800;
	if (s->link == LINK_NULL)
		put_bytes(b, (struct str){ s->family == V6 ? "\x1e\0\0\0" : "\2\0\0\0", 4 });
	if (s->link == LINK_LOOP)
		wire_put(b, s->family == V6 ? 30 : 2, 4);
	for (size_t i = 0; s->link == LINK_ETHERNET && i < 12; i++)
		buf_add_char(b, (char)i);
	for (size_t i = 0; s->link == LINK_SLL && i < 14; i++)
		buf_add_char(b, 0);
	if (s->link == LINK_ETHERNET || s->link == LINK_SLL) {
		for (unsigned i = s->vlans; i > 0; i--) {
			wire_put(b, i == 2 ? 0x88a8 : 0x8100, 2);
			wire_put(b, 100 + i, 2);
		}
		wire_put(b, protocol, 2);
	}
	if (s->link == LINK_SLL2) {
		wire_put(b, protocol, 2);
		for (size_t i = 0; i < 18; i++)
			buf_add_char(b, 0);
	}
}

static void put_ipv4(struct buf *b, const struct shape *s, size_t size)
{
	unsigned words = s->options ? 7 : 5;
	wire_put(b, 0x40 | words, 1);
	wire_put(b, 0, 1);
	wire_put(b, words * 4 + size, 2);
	wire_put(b, s->id, 2);
	wire_put(b, s->offset / 8 | (s->more ? 0x2000 : 0), 2);
	wire_put(b, 64 << 8 | 17, 2);
	wire_put(b, 0, 2);
	wire_put(b, s->address, 4);
	wire_put(b, 0x7f000001, 4);
	for (size_t i = 20; i < words * 4; i++)
		buf_add_char(b, 1);		/* IPv4 option "no operation" */
}

static void put_ipv6(struct buf *b, const struct shape *s, size_t size)
{
	wire_put(b, 6u << 28, 4);
	wire_put(b, size + (s->options ? 24 : 0) + (s->fragment ? 8 : 0), 2);
	wire_put(b, s->options ? 0 : s->fragment ? 44 : 17, 1);
	wire_put(b, 64, 1);
	for (size_t i = 0; i < 32; i++)		/* source and destination ::1 */
		buf_add_char(b, i % 16 == 15);
	if (s->options) {
		wire_put(b, 60 << 8, 2);	/* hop-by-hop options header of 8 bytes */
		wire_put(b, 0, 6);
		/* destination options header of 16 bytes */
		wire_put(b, (s->fragment ? 44 : 17) << 8 | 1, 2);
		wire_put(b, 0, 8);
		wire_put(b, 0, 6);
	}
	if (!s->fragment)
		return;
	wire_put(b, 17 << 8, 2);
	wire_put(b, s->offset | s->more, 2);
	wire_put(b, s->id, 4);
}

/* Append a packet: link and IP headers, then `carried`. */
static void put_packet(struct buf *b, const struct shape *s, struct str carried)
{
	put_link(b, s);
	if (s->family == V6)
		put_ipv6(b, s, carried.n);
	else
		put_ipv4(b, s, carried.n);
	put_bytes(b, carried);
	for (size_t i = 0; s->padded && i < 18; i++)
		buf_add_char(b, (char)0xee);
}

static void put_udp(struct buf *b, const struct shape *s, struct str datagram)
{
	wire_put(b, s->source_port, 2);
	wire_put(b, s->destination_port, 2);
	wire_put(b, datagram.n + 8, 2);
	wire_put(b, 0, 2);
	put_bytes(b, datagram);
}
