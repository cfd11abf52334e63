/* SPDX-License-Identifier: BSD-3-Clause */
/* host_port.h - parse and resolve "HOST:PORT" */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include "base/base.h"

/*
 * Split HOST:PORT or [ADDRESS]:PORT at the last colon. *port points into where; it is a service
 * name or a number up to 65535. Returns false if where has another form or the host does not fit.
 */
bool host_port_split(const char *where, char *host, size_t size, const char **port) MUST_CHECK;

/*
 * Parse a numeric address. An IPv4 address becomes ::ffff:a.b.c.d. Returns false if the text is no
 * address.
 */
bool host_address(const char *text, struct in6_addr *to) MUST_CHECK;

/*
 * Resolve "HOST:PORT" or "[2001:db8::1]:PORT" for UDP. An IPv4 address becomes ::ffff:a.b.c.d.
 * Returns 0, or -errno and a message for human readers in *why.
 */
int host_port_resolve(const char *where, struct sockaddr_in6 *to, const char **why) MUST_CHECK;
