/* SPDX-License-Identifier: BSD-3-Clause */
/* shoveler.h - read and write the JSON messages of OSG's shoveler, which forwards datagrams */
#pragma once

#include <netinet/in.h>
#include "base/base.h"
#include "base/buf.h"

#define SHOVELED_NAME_BYTES 254		/* a hostname has at most 253 bytes (RFC 1035) */

struct shoveled {
	/*
	 * address of the server, IPv4-mapped for IPv4; if .name is set, an address made up from the
	 * name
	 */
	struct in6_addr address;
	uint16_t port;
	int64_t usec;			/* arrival time, microseconds since the epoch; 0: unknown */
	char name[SHOVELED_NAME_BYTES];	/* host name in place of an address, or "" */
};

/*
 * Parse a message such as {"remote":"192.0.2.1:1094","version":"1.1.2","data":"PS4..."}. *from gets
 * the sender; the datagram replaces the contents of b. The sender may be a hostname. Messages of
 * nodometer also have "time", in seconds since the epoch. Returns 0 or -EBADMSG.
 */
int shoveler_read(struct str line, struct shoveled *from, struct buf *b) MUST_CHECK;

/*
 * Parse an address or a hostname. A hostname gets a made-up .address. Returns false if the text is
 * neither.
 */
bool shoveler_take_host(struct str text, struct shoveled *ret);

/*
 * Append a datagram as a message line, in the form of opensciencegrid/xrootd-monitoring-shoveler
 * (2.3.0), with an additional member "time", which consumers of these messages ignore. IPv6
 * addresses are in brackets.
 */
void shoveler_put(struct buf *b, const struct shoveled *from, struct str datagram);
