/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.c - parse the link, IP and UDP headers of captured packets */
#include "formats/xrootd/packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include "base/wire.h"

enum { IPV4 = 0x0800, IPV6 = 0x86dd, VLAN = 0x8100, QINQ = 0x88a8, QINQ_OLD = 0x9100 };
#define VLANS_MAX 4
#define EXTENSIONS_MAX 16

/* Link types from pcap-linktype(7) and https://www.tcpdump.org/linktypes.html. */
static const struct packet_link {
	int type;
	size_t header;
	int protocol;		/* offset of the EtherType; -1: none */
} links[] = {
	/* link type NULL: BSD loopback, with the address family in either byte order */
	{ 0,   4,  -1 },
	{ 1,   14, 12 },	/* EN10MB: Ethernet */
	{ 12,  0,  -1 },	/* RAW, with the number that libpcap uses inside a program */
	{ 101, 0,  -1 },	/* RAW, with the number that capture files use */
	{ 108, 4,  -1 },	/* LOOP */
	{ 113, 16, 14 },	/* LINUX_SLL, of "tcpdump -i any" */
	{ 228, 0,  -1 },	/* IPV4 */
	{ 229, 0,  -1 },	/* IPV6 */
	{ 276, 20, 0  },	/* LINUX_SLL2 */
};

static const struct packet_link *packet_find_link(int type)
{
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (links[i].type == type)
			return &links[i];
	return NULL;
}

static bool is_tag(unsigned protocol)
{
	return protocol == VLAN || protocol == QINQ || protocol == QINQ_OLD;
}

/*
 * Skip the link header and VLAN tags. A VLAN tag has 2 bytes, then the next EtherType (IEEE
 * 802.1Q).
 */
static int packet_skip_link(const struct packet_link *l, struct wire *w)
{
	struct str header = wire_bytes(w, l->header);
	if (w->bad)
		return -EBADMSG;
	if (l->protocol < 0)
		return 0;
	struct wire at = wire_of(str_skip(header, (size_t)l->protocol));
	unsigned protocol = wire_u16(&at);
	for (unsigned i = 0; i < VLANS_MAX && is_tag(protocol); i++) {
		wire_u16(w);
		protocol = wire_u16(w);
	}
	if (w->bad)
		return -EBADMSG;
	return protocol == IPV4 || protocol == IPV6 ? 0 : -ENOMSG;
}

/* Take at most `size` bytes of captured data, because padding of the link layer may follow. */
static void packet_take_data(struct ip_packet *p, struct wire *w, size_t size)
{
	p->size = size;
	p->data = wire_bytes(w, w->n < size ? w->n : size);
}

static void packet_map_ipv4(struct in6_addr *to, struct str address)
{
	memset(to, 0, sizeof(*to));
	memset(to->s6_addr + 10, 0xff, 2);
	memcpy(to->s6_addr + 12, address.p, address.n);
}

/*
 * Parse an IPv4 header (RFC 791, section 3.1). Length 0 means segmentation offload: the network
 * card sets the length later.
 */
static int packet_take_ipv4(struct wire *w, struct ip_packet *p)
{
	size_t whole = w->n;
	size_t header = (wire_u8(w) & 15u) * 4;
	wire_u8(w);
	size_t size = wire_u16(w);
	p->id = wire_u16(w);
	uint16_t fragment = wire_u16(w);
	wire_u8(w);
	p->protocol = wire_u8(w);
	wire_u16(w);
	struct str source = wire_bytes(w, 4), destination = wire_bytes(w, 4);
	size = size ? size : whole;
	if (w->bad || header < 20 || size < header)
		return -EBADMSG;
	wire_bytes(w, header - 20);
	if (w->bad)
		return -EBADMSG;
	packet_map_ipv4(&p->source, source);
	packet_map_ipv4(&p->destination, destination);
	p->offset = (fragment & 0x1fffu) * 8;
	p->more = fragment & 0x2000;
	packet_take_data(p, w, size - header);
	return 0;
}

enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, DESTINATION = 60 };

/*
 * Parse an IPv6 extension header (RFC 8200, section 4; RFC 4302 for AH). Returns the header's size,
 * or 0 if the next header is no extension header.
 */
static size_t packet_take_extension(struct wire *w, struct ip_packet *p)
{
	uint8_t kind = p->protocol;
	size_t size = 8;
	if (kind != HOP_BY_HOP && kind != ROUTING && kind != FRAGMENT && kind != AUTHENTICATION &&
	    kind != DESTINATION)
		return 0;
	p->protocol = wire_u8(w);
	uint8_t length = wire_u8(w);
	if (kind == FRAGMENT) {
		uint16_t fragment = wire_u16(w);
		p->id = wire_u32(w);
		p->offset = fragment & 0xfff8u;
		p->more = fragment & 1;
		return size;
	}
	size = kind == AUTHENTICATION ? (length + 2u) * 4 : (length + 1u) * 8;
	wire_bytes(w, size - 2);
	return size;
}

/*
 * Parse an IPv6 header. Length 0 means segmentation offload, because XRootD never sends jumbograms.
 */
static int packet_take_ipv6(struct wire *w, struct ip_packet *p)
{
	wire_u32(w);
	size_t size = wire_u16(w), n;
	p->protocol = wire_u8(w);
	wire_u8(w);
	struct str source = wire_bytes(w, 16), destination = wire_bytes(w, 16);
	if (w->bad)
		return -EBADMSG;
	memcpy(&p->source, source.p, source.n);
	memcpy(&p->destination, destination.p, destination.n);
	size = size ? size : w->n;
	for (unsigned i = 0; i < EXTENSIONS_MAX && (n = packet_take_extension(w, p)); i++) {
		if (n > size || w->bad)
			return -EBADMSG;
		size -= n;
		if (p->offset)
			break;		/* only the first fragment has further headers */
	}
	packet_take_data(p, w, size);
	return 0;
}

int packet_ip(int link, struct str packet, struct ip_packet *ret)
{
	const struct packet_link *l = packet_find_link(link);
	struct wire w = wire_of(packet);
	struct ip_packet p = { .offset = 0 };
	if (!l)
		return -ENOTSUP;
	if (!packet.n)
		return -EBADMSG;
	int r = packet_skip_link(l, &w);
	if (r < 0)
		return r;
	if (!w.n)
		return -EBADMSG;
	unsigned version = w.p[0] >> 4;
	if (version != 4 && version != 6)
		return -ENOMSG;
	r = version == 4 ? packet_take_ipv4(&w, &p) : packet_take_ipv6(&w, &p);
	if (r == 0)
		*ret = p;
	return r;
}

/*
 * Parse a UDP header (RFC 768). Length 0 means all remaining data. The checksum is not checked,
 * because the network card may compute it later.
 */
int packet_udp(const struct ip_packet *p, struct udp_datagram *ret)
{
	struct wire w = wire_of(p->data);
	if (p->protocol != IPPROTO_UDP)
		return -ENOMSG;
	struct udp_datagram d = { .size = 0 };
	d.source_port = wire_u16(&w);
	d.destination_port = wire_u16(&w);
	d.size = wire_u16(&w);
	wire_u16(&w);
	d.size = d.size ? d.size : p->size;
	if (w.bad || d.size < 8 || d.size > p->size)
		return -EBADMSG;
	d.size -= 8;
	d.data = wire_bytes(&w, w.n < d.size ? w.n : d.size);
	*ret = d;
	return 0;
}

void packet_address_text(const struct in6_addr *address, char *to)
{
	if (IN6_IS_ADDR_V4MAPPED(address))
		inet_ntop(AF_INET, address->s6_addr + 12, to, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, address, to, INET6_ADDRSTRLEN);
}
