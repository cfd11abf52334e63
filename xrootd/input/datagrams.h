/* SPDX-License-Identifier: BSD-3-Clause */
/* datagrams.h - UDP ports that are read many packets at a time, and what was lost there */
#pragma once

#include <netinet/in.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"

#define DATAGRAM_PORTS_MAX 64
#define DATAGRAMS_AT_ONCE  64

struct datagrams {
	int room;		/* bytes that the kernel is asked to keep for each port */
	bool numeric;		/* addresses are no names */
	size_t n_ports;
	int fd[DATAGRAM_PORTS_MAX];
	uint64_t lost[DATAGRAM_PORTS_MAX];	/* by the kernel, for want of room */
	struct datagram_batch *batch;
};

/* A packet; valid until the next datagrams_receive(). Senders by IPv4 are ::ffff:a.b.c.d. */
struct datagram {
	struct str bytes;
	struct sockaddr_in6 from;
};

/*
 * A port at this address, NULL: at all, by IPv6 and IPv4. 0 or -errno; *why is for people, it lives
 * as long as the program.
 */
int datagrams_open(struct datagrams *d, const char *address, const char *port,
		   const char **why) MUST_CHECK;

/* Sockets that were opened before us: sd_listen_fds(3). How many, or -errno. */
int datagrams_adopt(struct datagrams *d) MUST_CHECK;
void datagrams_close(struct datagrams *d);

/*
 * Receives the packets that wait at one port, without waiting for more: how many, DATAGRAMS_AT_ONCE
 * at most; or -errno.
 */
int datagrams_receive(struct datagrams *d, size_t port, struct datagram *to) MUST_CHECK;

/* Bytes that the kernel keeps for the port that has the least; a packet of 2 KB takes 4.4 KB. */
size_t datagrams_room(const struct datagrams *d);

/* How many packets all ports have lost since they were opened. */
uint64_t datagrams_lost(struct datagrams *d);
