/* SPDX-License-Identifier: BSD-3-Clause */
/* host_port.h - "HOST:PORT" as people write it, looked up */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include "base/base.h"

/*
 * In two; the last colon divides them. port is the end of where. False: it is not HOST:PORT, or
 * [ADDRESS]:PORT, or the host has more bytes than there is room for.
 */
bool host_port_split(const char *where, char *host, size_t size, const char **port) MUST_CHECK;

/* A numeric address; IPv4 as mapped. False: the text is none, and *to is as before. */
bool host_address(const char *text, struct in6_addr *to) MUST_CHECK;

/* "HOST:PORT", "[2001:db8::1]:PORT", for UDP; IPv4 as mapped. 0 or -errno; *why is for people. */
int host_port_resolve(const char *where, struct sockaddr_in6 *to, const char **why) MUST_CHECK;
