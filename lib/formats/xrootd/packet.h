/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h - parse the link, IP and UDP headers of captured packets */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"

/* An IP packet, or a fragment of an IP packet. */
struct ip_packet {
	struct in6_addr source, destination;	/* IPv4-mapped for IPv4 */
	uint8_t protocol;
	uint32_t id;			/* equal in all fragments of a packet */
	size_t offset;	/* offset of .data in the payload of the complete packet, in bytes */
	bool more;			/* more fragments follow */
	struct str data;		/* captured bytes, borrowed; the end may be cut off */
	size_t size;			/* bytes on the network, at least .data.n */
};

struct udp_datagram {
	uint16_t source_port, destination_port;
	struct str data;
	size_t size;			/* bytes on the network, at least .data.n */
};

/*
 * Parse a captured packet. link: link type, see pcap-linktype(7). Returns 0; -ENOTSUP for an
 * unknown link type; -ENOMSG if the packet is not an IP packet; -EBADMSG if headers are cut off or
 * invalid.
 */
int packet_ip(int link, struct str packet, struct ip_packet *ret) MUST_CHECK;

static inline bool packet_is_fragment(const struct ip_packet *p)
{
	return p->more || p->offset;
}

/* Format an address as "192.0.2.1" or "2001:db8::1", in at most INET6_ADDRSTRLEN bytes. */
void packet_address_text(const struct in6_addr *address, char *to);

/*
 * Parse the UDP header of a complete IP packet. Returns 0; -ENOMSG if the packet is not UDP;
 * -EBADMSG if the UDP header is cut off or invalid.
 */
int packet_udp(const struct ip_packet *p, struct udp_datagram *ret) MUST_CHECK;
