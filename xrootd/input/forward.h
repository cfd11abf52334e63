/* SPDX-License-Identifier: BSD-3-Clause */
/* forward.h - datagrams sent on as if by whom they came from */
#pragma once

#include <netinet/in.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"

/*
 * Collectors know a server by where its datagrams come from, and take nothing but these datagrams
 * by UDP: a message that names the source, as the shoveler sends, is for queues. So the source is
 * kept, which takes a raw socket (CAP_NET_RAW) and a network that lets such packets pass.
 */
struct forward {
	int fd;				/* -1: nothing is sent on */
	struct sockaddr_in6 to;		/* IPv4: mapped */
	size_t mtu;
	uint16_t id;			/* of the last packet */
	uint64_t sent, failed, foreign;	/* foreign: of the other version of IP */
	int error;			/* the last one */
};

/* "HOST:PORT", "[2001:db8::1]:PORT". 0 or -errno; *why is for people. */
int forward_open(struct forward *f, const char *where, const char **why) MUST_CHECK;

/* A loop: the destination is one of these ports of this host. */
bool forward_is_to(const struct forward *f, const uint16_t *port, size_t n);
void forward_send(struct forward *f, const struct in6_addr *from, uint16_t port, struct str s);
void forward_close(struct forward *f);
