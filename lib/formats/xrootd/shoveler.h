/* SPDX-License-Identifier: BSD-3-Clause */
/* shoveler.h - read and write the messages in which OSG's shoveler forwards datagrams, as JSON */
#pragma once

#include <netinet/in.h>
#include "base/base.h"
#include "base/buf.h"

#define SHOVELED_NAME_BYTES 254		/* a host name has at most 253 bytes: RFC 1035 */

struct shoveled {
	/*
	 * address of the server, IPv4 mapped into IPv6; if .name is set, a made-up unique address
	 */
	struct in6_addr address;
	uint16_t port;
	int64_t usec;			/* time of arrival, microseconds; 0: not in the message */
	char name[SHOVELED_NAME_BYTES];	/* host name in place of an address, or "" */
};

/*
 * Parse {"remote":"192.0.2.1:1094","version":"1.1.2","data":"PS4..."}: fill *from with the sender,
 * and b with the datagram. nodometer's own messages also have "time":1800000000.123456, seconds
 * since 1970. The shoveler may be configured to send a host name in place of the address. Returns 0
 * or -EBADMSG.
 */
int shoveler_read(struct str line, struct shoveled *from, struct buf *b) MUST_CHECK;

/*
 * Parse an address, or make an address from a host name: fill in .address and .name. Returns false
 * if the text is neither.
 */
bool shoveler_take_host(struct str text, struct shoveled *ret);

/*
 * Append the message of a datagram as a line. IPv6 addresses are in brackets. Keys and their order
 * are those of opensciencegrid/xrootd-monitoring-shoveler (2.3.0), whose consumers ignore the
 * additional time.
 */
void shoveler_put(struct buf *b, const struct shoveled *from, struct str datagram);
