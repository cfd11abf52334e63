/* SPDX-License-Identifier: BSD-3-Clause */
/* datagrams.h - read UDP ports many packets at a time, and count lost packets */
#pragma once

#include <netinet/in.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"

#define DATAGRAM_PORTS_MAX 64
#define DATAGRAMS_AT_ONCE  64

struct datagrams {
	int room;		/* size of the receive buffer to request for each port, in bytes */
	bool numeric;		/* accept numeric addresses only */
	size_t n_ports;
	int fd[DATAGRAM_PORTS_MAX];
	/* packets that the kernel dropped because the buffer was full */
	uint64_t lost[DATAGRAM_PORTS_MAX];
	struct datagram_batch *batch;
};

/* A received packet, valid until the next datagrams_receive(). IPv4 senders are mapped to IPv6. */
struct datagram {
	struct str bytes;
	struct sockaddr_in6 from;
};

/*
 * Open a UDP port at an address, or at all addresses if it is NULL. Returns 0, or -errno with the
 * reason in *why, a constant text.
 */
int datagrams_open(struct datagrams *d, const char *address, const char *port,
		   const char **why) MUST_CHECK;

/*
 * Use the sockets that systemd passed: sd_listen_fds(3). Call this before datagrams_open(). Returns
 * their number, or -errno.
 */
int datagrams_adopt(struct datagrams *d) MUST_CHECK;
void datagrams_close(struct datagrams *d);

/* Get the number of UDP port i, 0 if it is unknown. */
uint16_t datagrams_port(const struct datagrams *d, size_t i);

/*
 * Receive the packets that wait at .fd[port], without blocking. `to` has DATAGRAMS_AT_ONCE
 * elements. Returns their number, or -errno.
 */
int datagrams_receive(struct datagrams *d, size_t port, struct datagram *to) MUST_CHECK;

/*
 * Get the smallest receive buffer of all ports, in bytes; SIZE_MAX without ports. The size includes
 * the kernel's overhead: a packet of 2 KB takes 4.4 KB.
 */
size_t datagrams_room(const struct datagrams *d);

/*
 * Return true if the kernel counts the waiting and the lost packets of all ports: since Linux 4.12.
 * Otherwise, datagrams_waiting() and datagrams_lost() return less than the true number, mostly 0.
 */
bool datagrams_are_counted(const struct datagrams *d);

/*
 * Get the memory that the waiting packets of all ports take, in bytes, with the kernel's overhead.
 */
uint64_t datagrams_waiting(const struct datagrams *d);

/* Return the number of packets that all ports lost since they were opened. */
uint64_t datagrams_lost(struct datagrams *d);
