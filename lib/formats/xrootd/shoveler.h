/* SPDX-License-Identifier: BSD-3-Clause */
/* shoveler.h - a datagram in the message of OSG's shoveler: an object of JSON with its bytes */
#pragma once

#include <netinet/in.h>
#include "base/base.h"
#include "base/buf.h"

struct shoveled {
	struct in6_addr address;	/* of the server, IPv4 as a mapped address */
	uint16_t port;
	int64_t usec;			/* when it came, 0: the message does not say it */
};

/*
 * {"remote":"192.0.2.1:1094","version":"1.1.2","data":"PS4..."}: from whom, and b is the datagram
 * then. 0 or -EBADMSG. Ours have "time":1800000000.123456, seconds since 1970, after these.
 */
int shoveler_read(struct str line, struct shoveled *from, struct buf *b) MUST_CHECK;

/*
 * The same message of a datagram, as a line; an address of IPv6 is in brackets. Keys and their
 * order are those of opensciencegrid/xrootd-monitoring-shoveler (2.3.0), whose readers pass over
 * the time.
 */
void shoveler_put(struct buf *b, const struct shoveled *from, struct str datagram);
