/* SPDX-License-Identifier: BSD-3-Clause */
/* forward.h - forward datagrams with their original source address */
#pragma once

#include <netinet/in.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"

/*
 * Collectors identify a server by the source address of its datagrams, so forwarding keeps this
 * address. The shoveler's messages would name the source, but collectors read messages only from
 * queues, not by UDP. Forwarding needs a raw socket (CAP_NET_RAW), and a network that does not drop
 * packets with a foreign source address.
 */
struct forward {
	int fd;				/* descriptor of the raw socket; -1: forwarding is off */
	struct sockaddr_in6 to;		/* destination; an IPv4 address is mapped to IPv6 */
	size_t mtu;
	uint16_t id;			/* id of the last packet */
	/* .foreign: not forwarded, because source and destination have different IP versions */
	uint64_t sent, failed, foreign;
	int error;			/* errno of the last failure */
};

/*
 * Set the destination, "HOST:PORT" or "[2001:db8::1]:PORT", and open the raw socket. Returns 0, or
 * -errno with the reason in *why.
 */
int forward_open(struct forward *f, const char *where, const char **why) MUST_CHECK;

/* Check if the destination is one of these ports of this host: forwarding would make a loop. */
bool forward_is_to(const struct forward *f, const uint16_t *port, size_t n);
void forward_send(struct forward *f, const struct in6_addr *from, uint16_t port, struct str s);
void forward_close(struct forward *f);
