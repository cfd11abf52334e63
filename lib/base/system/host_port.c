/* SPDX-License-Identifier: BSD-3-Clause */
/* host_port.c - parse and resolve "HOST:PORT" */
#include "base/system/host_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include "base/str.h"

/* Return false if the port is a number above 65535, which getaddrinfo(3) would wrap. */
static bool port_is_in_range(const char *port)
{
	struct str digits = str_of(port);
	uint64_t n;
	return !str_is_u64(digits) || (str_take_u64(&digits, &n) && n <= 65535);
}

bool host_port_split(const char *where, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(where, ':');
	struct str name = { where, colon ? (size_t)(colon - where) : 0 };
	if (str_take_prefix(&name, STR("[")) && !(str_ends(name, STR("]")) && name.n--))
		return false;
	*port = colon ? colon + 1 : "";
	return name.n && **port && port_is_in_range(*port) && str_copy(host, size, name);
}

bool host_address(const char *text, struct in6_addr *to)
{
	struct in6_addr mapped = { .s6_addr = { [10] = 0xff, [11] = 0xff } };
	if (inet_pton(AF_INET, text, mapped.s6_addr + 12) != 1)
		return inet_pton(AF_INET6, text, to) == 1;
	*to = mapped;
	return true;
}

int host_port_resolve(const char *where, struct sockaddr_in6 *to, const char **why)
{
	const struct addrinfo hints = {
		.ai_family = AF_INET6, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_V4MAPPED,
	};
	struct addrinfo *found;
	char host[256];
	const char *port;
	*why = "not HOST:PORT";
	if (!host_port_split(where, host, sizeof(host), &port))
		return -EINVAL;
	int e = getaddrinfo(host, port, &hints, &found);
	*why = gai_strerror(e);
	if (e)
		return -ENOENT;
	memcpy(to, found->ai_addr, sizeof(*to));
	freeaddrinfo(found);
	return 0;
}
