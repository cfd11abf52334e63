/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h - UDP datagrams in captured packets: headers of link, IP and UDP */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"

/* An IP packet, or a fragment of one; what it carries may be cut off by the capture. */
struct ip_packet {
	struct in6_addr source, destination;	/* IPv4 as mapped addresses */
	uint8_t protocol;
	uint32_t id;			/* of fragments: which belong together */
	size_t offset;			/* of .data in the whole, in bytes */
	bool more;			/* more fragments follow */
	struct str data;		/* borrowed from the packet */
	size_t size;			/* of the data as they were sent, .data.n at least */
};

struct udp_datagram {
	uint16_t source_port, destination_port;
	struct str data;
	size_t size;			/* as it was sent, .data.n at least */
};

/*
 * link is as in pcap-linktype(7). 0; -ENOTSUP for a link type that is not known, -ENOMSG for what
 * is no IP, -EBADMSG for headers that are cut off or make no sense.
 */
int packet_ip(int link, struct str packet, struct ip_packet *ret) MUST_CHECK;

static inline bool packet_is_fragment(const struct ip_packet *p)
{
	return p->more || p->offset;
}

/* "192.0.2.1", or "2001:db8::1": at most INET6_ADDRSTRLEN bytes. */
void packet_address_text(const struct in6_addr *address, char *to);

/* The whole of what a packet carried. 0, -ENOMSG for what is no UDP, -EBADMSG as above. */
int packet_udp(const struct ip_packet *p, struct udp_datagram *ret) MUST_CHECK;
